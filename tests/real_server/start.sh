#!/bin/sh
# Starts the server that build.sh built with one of its models, on loopback.
#
#   sh tests/real_server/start.sh plain|tools|deepseek [PORT] [OPTION…]
#
# -t 1      one thread: with these small models others only wait for each other
# -np, -c   sixteen conversations, as many as a story has characters and places, each with a window
#           of 16,384 tokens
# -sps 0.6  a prompt goes to a slot that holds six tenths of it, else to another: with the default
#           of 0.1 all entities that share their rules throw each other out of one slot, and with
#           0.9 whoever has heard much since its last prompt gets a new one
set -eu
folder=${PLAYHOUSE_LLAMA_DIR:-$HOME/.cache/playhouse/llama}
model=$1 port=${2:-8102}
shift
[ $# -eq 0 ] || shift
if [ "$model" = deepseek ]; then
    templates=$folder/src/vendor/llama.cpp/models/templates
    set -- --chat-template-file "$templates/deepseek-ai-DeepSeek-V3.1.jinja" "$@"
fi
exec "$folder/build/bin/llama-server" --model "$folder/models/$model.gguf" --alias "$model" \
    --host 127.0.0.1 --port "$port" -t 1 -np 16 -c 262144 -sps 0.6 --jinja --slots --no-warmup "$@"

"""Makes a tiny language model that holds nothing learned from anywhere but this repository.

usage: model.py OUT.gguf [--opens MARK] [--closes MARK] [--ends MARK]

It is a bigram model in the clothes of a llama: the next token follows the last one as often as it does in the
repository's own texts. One attention head, which looks at all of the prompt alike, measures how much of it is
Chinese and how much English, and each makes tokens of the other rarer. So answers are no sense, but words, end by themselves, and
depend on every token of the prompt.

A mark is a token of its own: --opens is likely to begin a line, --ends to be followed by the end of the turn;
--closes stands where a sentence may end, and the turn goes on behind it.
"""
import argparse
import json
import re
from pathlib import Path

import gguf
import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

REPOSITORY = Path(__file__).resolve().parents[4]
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
END_OF_TURN = "<|im_end|>"
VOCABULARY = 2040  # with marks and two spare dimensions below 2,048
WINDOW = 131_072
HEAD = 64  # width of the attention head


def texts():
    """Lines of the repository's own prose, in English and Chinese; nothing that looks like a data file."""
    samples = sorted((REPOSITORY / "crates/engine/tests/tokens").glob("*.txt"))
    worlds = sorted((REPOSITORY / "data/worlds").glob("*/world.ron"))
    for file in samples + worlds:
        for line in file.read_text("utf-8").splitlines():
            if line.strip() and not re.search(r'[\[\]{}()#<>="|/]', line):
                yield line.strip()


def tokenizer(lines):
    """A byte-level byte-pair encoding, split as GPT-2 splits."""
    tokens = Tokenizer(models.BPE())
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=CONTROL, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokens.train_from_iterator(lines, trainer)
    return tokens


def letters_of_bytes():
    """Which letter stands for which byte in a byte-level vocabulary (GPT-2's table)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


def languages(spellings):
    """Which tokens are Chinese, and which are English; punctuation is neither."""
    chinese = np.array([any(0xE3 <= byte <= 0xE9 for byte in spelled) for spelled in spellings])
    english = np.array([bool(re.search(rb"[A-Za-z]", spelled)) for spelled in spellings])
    return chinese, english & ~chinese


def is_whole(spelled):
    try:
        return bool(spelled.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def chances(lines, tokens, names, spellings, marks):
    """The chance of each token (column) after each other (row)."""
    size = len(names)
    number = {name: at for at, name in enumerate(names)}
    newline, quote, end = number["Ċ"], number['"'], number[END_OF_TURN]
    whole = np.array([is_whole(spelled) for spelled in spellings])
    pairs, firsts = np.zeros((size, size)), np.zeros(size)
    for line in lines:
        ids = tokens.encode(line).ids
        firsts[ids[0]] += 1
        np.add.at(pairs, (ids[:-1], ids[1:]), 1)
    # A piece of a character is only ever said where a grammar asks for it.
    pairs[:, ~whole] = 0
    firsts[~whole] = 0
    firsts /= firsts.sum()
    anything = pairs.sum(0) / pairs.sum()
    seen = pairs.sum(1, keepdims=True)
    after = np.where(seen > 0, 0.85 * pairs / np.maximum(seen, 1) + 0.15 * anything, anything)

    ending = np.array([spelled.decode("utf-8", "ignore").endswith(tuple('.!?…"。！？”')) for spelled in spellings])
    chance_of_end = np.where(ending, 0.3, 0.01)[:, None]
    closes = [number[mark] for mark in marks.closes]
    after *= 1 - (2 + len(closes)) * chance_of_end
    for way_out in [end, quote, *closes]:
        after[:, way_out] += chance_of_end[:, 0]

    opens = [number[mark] for mark in marks.opens]
    for row in [newline, *closes]:
        after[row] = firsts * (0.4 if opens else 1.0)
        after[row, opens] = 0.6
    for mark in marks.opens:
        after[number[mark]] = anything
    for mark in marks.ends:
        after[number[mark]] = anything * 0.02
        after[number[mark], end] += 0.98
    return after, np.where(whole, 1e-9, 1e-12)


def nothing(rows, columns):
    return np.zeros((rows, columns), np.float32)


def write(out, lines, marks):
    tokens = tokenizer(lines)
    vocabulary = tokens.get_vocab()
    names = sorted(vocabulary, key=vocabulary.get) + marks.opens + marks.closes + marks.ends
    letters = letters_of_bytes()
    trained = len(vocabulary)
    spellings = [
        bytes(letters[letter] for letter in name) if len(CONTROL) <= at < trained else b""
        for at, name in enumerate(names)]
    after, floor = chances(lines, tokens, names, spellings, marks)
    chinese, english = languages(spellings)

    size = len(names)
    width = -(-(size + 2) // 256) * 256
    spare = [size, size + 1]  # the dimensions that carry how Chinese and how English the prompt is
    scale = np.sqrt(width)  # what the norm makes of a vector with a single 1
    carried, lean = 0.25, 8.0  # small enough to leave the norm alone; how much the language counts
    embedding = np.eye(size, width, dtype=np.float32)
    head = nothing(size, width)
    head[:, :size] = np.log(after + floor).T / scale
    head[:, spare] = -lean / (carried * scale) * np.stack([english, chinese], axis=1)
    value, output = nothing(HEAD, width), nothing(width, HEAD)
    value[[0, 1], :size] = np.stack([chinese, english]) / scale
    output[spare, [0, 1]] = carried
    tensors = {
        "token_embd": embedding, "output": head, "output_norm": np.ones(width, np.float32),
        "blk.0.attn_norm": np.ones(width, np.float32), "blk.0.ffn_norm": np.ones(width, np.float32),
        # Queries and keys of nothing: every token is looked at alike.
        "blk.0.attn_q": nothing(HEAD, width), "blk.0.attn_k": nothing(HEAD, width),
        "blk.0.attn_v": value, "blk.0.attn_output": output,
        "blk.0.ffn_gate": nothing(HEAD, width), "blk.0.ffn_up": nothing(HEAD, width), "blk.0.ffn_down": nothing(width, HEAD),
    }

    file = gguf.GGUFWriter(out, "llama")
    file.add_name(Path(out).stem)
    file.add_file_type(gguf.LlamaFileType.ALL_F32)
    file.add_vocab_size(size)
    file.add_context_length(WINDOW)
    file.add_embedding_length(width)
    file.add_block_count(1)
    file.add_feed_forward_length(HEAD)
    file.add_head_count(1)
    file.add_head_count_kv(1)
    file.add_key_length(HEAD)
    file.add_value_length(HEAD)
    file.add_rope_dimension_count(HEAD)
    file.add_layer_norm_rms_eps(1e-6)
    kind = gguf.TokenType
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("gpt-2")
    file.add_token_list(names)
    file.add_token_types(
        [kind.CONTROL] * len(CONTROL) + [kind.NORMAL] * (trained - len(CONTROL)) + [kind.USER_DEFINED] * (size - trained))
    file.add_token_merges(merges(tokens))
    file.add_bos_token_id(names.index(CONTROL[0]))
    file.add_eos_token_id(names.index(END_OF_TURN))
    file.add_add_bos_token(False)
    file.add_chat_template(Path(__file__).with_name("chat.jinja").read_text("utf-8"))
    for name, tensor in tensors.items():
        file.add_tensor(f"{name}.weight", tensor)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def merges(tokens):
    pairs = json.loads(tokens.to_str())["model"]["merges"]
    return [pair if isinstance(pair, str) else " ".join(pair) for pair in pairs]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    for option in ["--opens", "--closes", "--ends"]:
        parser.add_argument(option, action="append", default=[])
    chosen = parser.parse_args()
    write(chosen.out, list(texts()), chosen)

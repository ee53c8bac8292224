#!/usr/bin/env python3
"""Writes crates/engine/src/memory/english/related.txt from WordNet 3.0.

    apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb wordnet
    scripts/related_words.py wordnet/usr/share > crates/engine/src/memory/english/related.txt

Which words are common is how often WordNet's own definitions and examples use them. What they
usually mean is what its tagged texts count (cntlist.rev), or else its order of senses. Nothing else
decides what is in the list.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

WORD = re.compile(r"[a-z]{3,}")
# How often definitions use a common word, and one that is common enough for a kind.
COMMON, KNOWN = 20, 12
# The least share of a word's uses that a meaning has: of a synonym, a head, a kind.
SYNONYM, HEAD, KIND = 0.4, 0.15, 0.25
# How far kinds are below their head, and how many a head has that says something.
DEPTH, MOST = 3, 40
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SENSES = "nvara"


class WordNet:
    def __init__(self, folder):
        self.words, self.below, self.derived = {}, defaultdict(list), []
        self.glossed, self.uses, self.total = Counter(), Counter(), Counter()
        for name, part in PARTS.items():
            for line in lines(folder / f"data.{name}"):
                self.read_synset(line, part)
        counts = Counter()
        for line in lines(folder / "cntlist.rev"):
            key, number, count = line.split()
            word, kind = key.split("%")
            counts[word, SENSES[int(kind[0]) - 1], int(number)] += int(count)
        for name, part in PARTS.items():
            for line in lines(folder / f"index.{name}"):
                self.read_senses(line.split(), part, counts)

    def read_synset(self, line, part):
        data, gloss = line.split(" | ", 1)
        fields = data.split()
        synset, end = (part, fields[0]), 4 + 2 * int(fields[3], 16)
        # Some adjectives say where they stand: `ill(p)`.
        self.words[synset] = [word.lower().split("(")[0] for word in fields[4:end:2]]
        pointers = fields[end + 1 :][: 4 * int(fields[end])]
        for symbol, offset, of, words in zip(*[iter(pointers)] * 4):
            if symbol in ("~", "~i"):
                self.below[synset].append((of, offset))
            elif symbol == "+":
                numbers = int(words[:2], 16) - 1, int(words[2:], 16) - 1
                self.derived.append((synset, (of, offset), numbers))
        self.glossed.update(WORD.findall(gloss.lower()))

    def read_senses(self, fields, part, counts):
        """Counts a word's senses, the first once more, so that each word has a usual one."""
        word, offsets = fields[0], fields[-int(fields[2]) :]
        for number, offset in enumerate(offsets, 1):
            uses = counts[word, part, number] + (number == 1)
            self.uses[word, (part, offset)] = uses
            self.total[word] += uses

    def usual(self, synset, share, least=COMMON):
        """The common words of which a synset is a usual meaning, the most common first."""

        def fits(word):
            is_common = WORD.fullmatch(word) and self.glossed[word] >= least
            return is_common and self.uses[word, synset] >= share * self.total[word]

        words = {word for word in self.words[synset] if fits(word)}
        return sorted(words, key=lambda word: (-self.uses[word, synset], word))

    def kinds(self, synset, depth=DEPTH):
        for under in self.below[synset]:
            yield from self.usual(under, KIND, KNOWN)
            if depth > 1:
                yield from self.kinds(under, depth - 1)

    def related(self):
        for first, second, numbers in self.derived:
            pair = [self.words[first][numbers[0]], self.words[second][numbers[1]]]
            usual = self.usual(first, SYNONYM), self.usual(second, SYNONYM)
            if pair[0] < pair[1] and pair[0] in usual[0] and pair[1] in usual[1]:
                yield " = ".join(pair)
        for synset in self.words:
            same = self.usual(synset, SYNONYM)
            if len(same) > 1:
                yield " = ".join(same)
            heads = self.usual(synset, HEAD)
            if synset[0] == "n" and heads:
                found = sorted(set(self.kinds(synset)) - set(same) - set(heads))
                if 1 < len(found) <= MOST:
                    yield f"{heads[0]}: {' '.join(found)}"


def lines(path):
    """Those of a file of WordNet without its notice, whose lines are indented."""
    return [line for line in path.read_text().splitlines() if not line.startswith(" ")]


def main():
    print("# `=` joins words of the same meaning; `head: kinds` names kinds of the first word.")
    print("# Made from WordNet 3.0 by scripts/related_words.py; see related.LICENSE.")
    print("\n".join(sorted(set(WordNet(Path(sys.argv[1]) / "wordnet").related()))))


if __name__ == "__main__":
    main()

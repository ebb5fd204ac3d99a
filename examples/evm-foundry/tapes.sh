#!/bin/sh
# Writes a tape of each scenario with a tick for each of its faults, and a calm tape of the same seconds: their good twins.
mkdir -p tapes
cp node_modules/price-feed-mock/fixtures/format-vectors.json tapes/ || exit 1
for scenario in calm signature-matrix ticks.json; do
  node_modules/.bin/price-feed-mock tape --feeds ETHUSD --at 2025-07-24T10:48:25Z --for 140s --every 5s --layout evm \
    --scenario "$scenario" --out "tapes/$(basename "$scenario" .json).json" || exit 1
done
# One that is read for little gas, as a fuzz test does again and again.
node_modules/.bin/price-feed-mock tape --feeds ETHUSD --at 2025-07-24T10:48:25Z --for 180s --format sol --out tapes/Tape.sol

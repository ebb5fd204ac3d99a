#!/usr/bin/env bash
# Installs Playwright's Chromium on a GitHub runner and names it to later steps; .ci/run itself only knows Debian's package.
set -euo pipefail
cd "$(dirname "$0")/.."

npm ci --no-audit --no-fund
if [ "$(uname -s)" = Linux ]; then npx playwright install --with-deps chromium; else npx playwright install chromium; fi
path=$(node --input-type=module -e "import { chromium } from 'playwright'; process.stdout.write(chromium.executablePath())")

# The tests read this variable first, and .ci/run installs nothing when it is set.
echo "PRICE_FEED_MOCK_CHROMIUM=$path" >>"${GITHUB_ENV:-/dev/stdout}"

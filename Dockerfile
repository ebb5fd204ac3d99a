# The mock as a container, see docs/ci.md. This repository's CI does not exercise it.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The `prepare` script needs the sources.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:22-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-slim
# Everybody in the network can reach the port, so /_mock/ needs a token: a random one in the log, unless another is set.
ENV NODE_ENV=production PRICE_FEED_MOCK_HOST=0.0.0.0 PRICE_FEED_MOCK_PORT=4700 PRICE_FEED_MOCK_ADMIN_TOKEN=auto
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# An optional peer, for --store.
COPY --from=build /app/node_modules/@redis/client ./node_modules/@redis/client
COPY --from=build /app/dist ./dist
COPY package.json README.md LICENSE ./
USER node
EXPOSE 4700
# The health check does not know --port: publish another port, or set PRICE_FEED_MOCK_PORT.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PRICE_FEED_MOCK_PORT}/_mock/health`).then(reply => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/program/main.js"]

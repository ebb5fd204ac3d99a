// The reference of the HTTP figures: a plain server of Node that sends one fixed reply. Arguments: headers as JSON, the body.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const headers = JSON.parse(process.argv[2]!) as string[]
const body = Buffer.from(process.argv[3]!)
const server = createServer((_request, response) => {
  response.sendDate = false
  response.writeHead(200, headers)
  response.end(body)
})
// The reply shows the timeout, and both send the same bytes.
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

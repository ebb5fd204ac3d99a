// Replies of the mock itself, for the admin and the hosts.
export { internalReply, mockReply, problemReply } from '../mock-reply.js'

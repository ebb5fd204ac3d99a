// The start of a shell command: it saves a snapshot of a session from a running server.
import { quote, SNAPSHOT_FILE } from '../../admin/reproduce-command.js'

/**
 * The start for a session, with `&&` at its end. A token has a placeholder, since no output shows it.
 * @param flags flags of the program, among them the certificate to trust
 * @param before number of the request before which it is taken; undefined for now
 */
export function saveSnapshot(
  url: string,
  id: string,
  hasToken: boolean,
  flags: readonly string[] = [],
  before?: number,
): string {
  const at = flags.indexOf('--tls-cert')
  return [
    'curl -sSf -X POST',
    ...(at < 0 ? [] : [`--cacert ${quote(flags[at + 1]!)}`]),
    ...(hasToken ? ["-H 'Authorization: Bearer …'"] : []),
    quote(`${url}/_mock/sessions/${id}/snapshot${before === undefined ? '' : `?before=${before}`}`),
    `-o ${SNAPSHOT_FILE} && `,
  ].join(' ')
}

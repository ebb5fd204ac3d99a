// Mistakes in the command line, and in the files at the root of src.
import type { Mutant } from '../mutant.js'

/** Mistakes in the command line, and in the files at the root of src. */
export const CLI: readonly Mutant[] = [
  {
    file: 'cli/banner.ts',
    find: "clock.frozen ? ', frozen'",
    replace: "!clock.frozen ? ', frozen'",
    why: 'a running clock is called frozen',
  },
  {
    file: 'cli/banner.ts',
    find: "feeds > firstFeeds.length ? ' …' : ''",
    replace: "feeds >= firstFeeds.length ? ' …' : ''",
    why: 'three feeds are said to be more',
  },
  {
    file: 'cli/exec.ts',
    find: 'code ?? 128 + constants.signals[signal!]',
    replace: 'code ?? constants.signals[signal!]',
    why: 'a command that a signal ended has the wrong exit code',
  },
  {
    file: 'cli/exec.ts',
    find: "signal === 'SIGINT' && atTerminal",
    replace: "signal === 'SIGINT'",
    why: 'Ctrl-C does not reach a command without a terminal',
  },
  {
    file: 'cli/json-file.ts',
    find: 'size > MAX_FILE_BYTES',
    replace: 'size >= MAX_FILE_BYTES - 65_536',
    why: 'a file of just the largest size is refused',
  },
  {
    file: 'cli/json-file.ts',
    find: 'lines.at(-1)!.length + 1',
    replace: 'lines.at(-1)!.length',
    why: 'a mistake is shown a column early',
  },
  {
    file: 'cli/json-file.ts',
    find: 'decoder.decode(chunk, { stream: true })',
    replace: 'decoder.decode(chunk)',
    why: 'a letter between two chunks is broken',
  },
  {
    file: 'chain/checksum.ts',
    find: 'Number.parseInt(hash[i]!, 16) >= 8',
    replace: 'Number.parseInt(hash[i]!, 16) > 8',
    why: 'the checksum of an address is wrong',
  },
  {
    file: 'cli/log.ts',
    find: 'status >= 500 ? colours.red',
    replace: 'status > 500 ? colours.red',
    why: 'a status of 500 is not red',
  },
  {
    file: 'cli/log.ts',
    find: "replace(/[^\\x20-\\x7e…]/g, '?')",
    replace: "replace(/[^\\x00-\\x7e…]/g, '?')",
    why: 'a control character reaches the terminal',
  },
  {
    file: 'cli/options.ts',
    find: ".toUpperCase().replaceAll('-', '_')",
    replace: ".toUpperCase().replace('-', '_')",
    why: 'a variable with two dashes has another name',
  },
  {
    file: 'cli/paths.ts',
    find: '?? attempt(() => lstatSync(path))',
    replace: '',
    why: 'a link that leads nowhere is nothing',
  },
  {
    file: 'cli/printable.ts',
    find: '\\p{Cc}\\p{Bidi_Control}',
    replace: '\\p{Cc}',
    why: 'text can be turned around in a terminal',
  },
  {
    file: 'cli/sources.ts',
    find: 'if (one.value === false || other.value === false) return false',
    replace: '',
    why: 'a flag that is off excludes another',
  },
  {
    file: 'cli/sources.ts',
    find: 'history && port !== 0 && history.value === port',
    replace: 'history && history.value === port',
    why: 'two free ports are refused',
  },
  {
    file: 'cli/watch.ts',
    find: 'if (lastReported === toText(scenario)) return',
    replace: '',
    why: 'an unchanged file is applied again',
  },
  {
    file: 'cli/watch.ts',
    find: 'if (wasRemoved && !hasValidVersion) watched.delete(resolve(path))',
    replace: 'if (wasRemoved) watched.delete(resolve(path))',
    why: 'a good file that goes and comes back is called new',
  },
  {
    file: 'cli/watch-folders.ts',
    find: 'if (names === undefined || name === null || names.includes(name)) onEvent()',
    replace: 'onEvent()',
    why: 'everything above a folder counts as a change in it',
  },
  {
    file: 'cli/scenario-files.ts',
    find: "file !== 'schema.json'",
    replace: 'true',
    why: 'the schema is read as a scenario',
  },
  {
    file: 'cli/scenario-files.ts',
    find: `.slice(0, 51)
  return`,
    replace: `.slice(0, 52)
  return`,
    why: 'a scenario name of 52 characters is made',
  },
  {
    file: 'cli/config-file.ts',
    find: "isInline(path) ? '.' : dirname(path)",
    replace: "'.'",
    why: 'paths of a config file are taken from the present folder',
  },
  {
    file: 'cli/command.ts',
    find: 'if (rest.length > 0) collect(usageError(root',
    replace: 'if (rest.length > 1) collect(usageError(root',
    why: 'an argument after serve is ignored',
  },
  {
    file: 'cli/command.ts',
    find: 'tries <= args.length',
    replace: 'tries < 1',
    why: 'the third problem of a command line is not reported',
  },
  {
    file: 'bounded-cache.ts',
    find: 'if (used + entry.cost > half)',
    replace: 'if (used + entry.cost > half * 2)',
    why: 'a cache holds twice what it may',
  },
  { file: 'bounded-cache.ts', find: 'put(key, older)', replace: '', why: 'what is in use is forgotten' },
  {
    file: 'errors.ts',
    find: 'const near = Math.round(short.length / 3)',
    replace: 'const near = Math.round(short.length / 2)',
    why: 'a name that is not alike is suggested',
  },
  {
    file: 'errors.ts',
    find: 'problems.slice(0, MAX_PROBLEMS_SHOWN).flatMap',
    replace: 'problems.flatMap',
    why: 'a message shows every problem of thousands',
  },
  {
    file: 'outcome.ts',
    find: '(outcome.pieces - 1) * outcome.everyMs',
    replace: 'outcome.pieces * outcome.everyMs',
    why: 'a dribble is planned a wait too long',
  },
  {
    file: 'outcome.ts',
    find: 'Math.max(1, Math.ceil(body.length / count))',
    replace: 'Math.max(1, Math.floor(body.length / count))',
    why: 'a body comes in more pieces than asked for',
  },
  {
    file: 'outcome.ts',
    find: '/[\\u007f-\\uffff]/g',
    replace: '/[\\u0080-\\uffff]/g',
    why: 'the delete character is not escaped',
  },
  {
    file: 'mock.ts',
    find: 'answer === undefined) return undefined',
    replace: "answer === undefined) throw new Error('nothing')",
    why: 'an unknown path ends the request',
  },
  {
    file: 'cli/tape.ts',
    find: 'faults.length === 0 ? undefined : toVerdict(parsed, asked)',
    replace: 'undefined',
    why: 'a forged price on a tape has no reasons',
  },
  {
    file: 'cli/tape.ts',
    find: 'const receivedAt = realMs + elapsed * 1000',
    replace: 'const receivedAt = realMs + elapsed',
    why: 'the clock of a tape stands still',
  },
  {
    file: 'cli/keys.ts',
    find: "join(' ||\\n')",
    replace: "join(' &&\\n')",
    why: 'the deny list of a contract refuses nothing',
  },
]

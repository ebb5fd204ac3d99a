// key-form: how the API key was sent wrongly. Its place is the header Authorization, whose value is the key alone.
import { countOf } from '../../errors.js'
import { KEY_PROBLEMS, type KeyProblem } from '../../service/key-problem.js'
import { type Check, finding } from './check.js'

const DESCRIPTIONS: Readonly<Record<KeyProblem, string>> = {
  query: 'in the query instead of the header',
  missing: 'without a key in the header Authorization',
  several: 'with several values in the header',
  scheme: 'after a scheme such as Bearer',
  quotes: 'in quotes or brackets',
  case: 'in another case',
  unknown: 'a key that the mock does not accept',
}

/** A key in a wrong form is refused by the service, whatever the key. */
export const keyForm: Check = {
  id: 'key-form',
  title: 'The API key is sent bare in Authorization',
  find({ requests }) {
    const wrong = requests.filter(({ keyProblem }) => keyProblem !== undefined)
    const keyed = requests.filter(({ apiKey }) => apiKey)
    if (wrong.length === 0)
      return keyed.length === 0
        ? finding('not-seen', 'No request needed a key.')
        : finding('ok', `${countOf(keyed.length, 'request')} sent an accepted key.`, keyed)
    const forms = KEY_PROBLEMS.flatMap(problem => {
      const count = wrong.filter(({ keyProblem }) => keyProblem === problem).length
      return count === 0 ? [] : `${count} ${DESCRIPTIONS[problem]}`
    })
    const text = `${countOf(wrong.length, 'request')} sent the key wrongly: ${forms.join('; ')}. The value of Authorization is the key itself.`
    return finding('failed', text, wrong)
  },
}

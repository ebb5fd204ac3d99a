// The names that scenarios may use in a mock without options, for tests of the scenario layer alone.
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { FAULTS } from '../../src/faults/index.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import type { Vocabulary } from '../../src/scenario/parse.js'

export const VOCABULARY: Vocabulary = {
  faults: FAULTS,
  endpoints: ENDPOINTS.map(({ name }) => name),
  feeds: catalogueFeeds(),
}

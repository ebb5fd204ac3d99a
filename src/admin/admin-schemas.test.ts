// Documents that are generated from the definitions of the admin routes. `npm run docs` writes them.
import { expect, it } from 'vitest'
import { adminPage, adminSchemasModule } from '../../test/support/admin-document.js'

it('behavior: the code holds the JSON Schemas of the admin routes', async () => {
  await expect(adminSchemasModule()).toMatchFileSnapshot('admin-schemas.ts')
})

it('behavior: docs/admin-api.md is that of the code', async () => {
  await expect(adminPage()).toMatchFileSnapshot('../../docs/admin-api.md')
})

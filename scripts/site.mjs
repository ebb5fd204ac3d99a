// Builds the static site in .build/site: README.md and docs as they are, llms.txt, and a reference of the entry points by TypeDoc.
// A dead link fails the build. VitePress checks links between pages, this script checks links to other files of the tree.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toAnchor } from '../docs/.vitepress/config.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = join(ROOT, '.build', 'site-pages')

/** Pages of the site, by their place in the tree. */
const pages = new Map([
  ['README.md', 'index.md'],
  ['CONTRIBUTING.md', 'CONTRIBUTING.md'],
  ['CHANGELOG.md', 'CHANGELOG.md'],
  ['src/README.md', 'src/index.md'],
  ...['clients/go', 'clients/python', 'examples/ticker'].map(folder => [`${folder}/README.md`, `${folder}/index.md`]),
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => [`docs/${name}`, `docs/${name}`]),
])

/** The anchors of a page. */
function anchorsOf(page) {
  const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, text]) => `#${toAnchor(text)}`)
}

/** Rewrites the links of a page: to other pages as the site names them, to other files of the tree as their names. */
function toSitePage(page, text) {
  return text.replace(/(?<!!)\[([^\]]+)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)/g, (_, label, path, hash = '') => {
    const target = path === '' ? page : posix.join(posix.dirname(page), path)
    const source = existsSync(join(ROOT, target, 'README.md')) ? `${target}/README.md` : target
    if (!existsSync(join(ROOT, source)) || (hash !== '' && !anchorsOf(source).includes(hash)))
      throw new Error(`${page}: dead link to ${path}${hash}`)
    const name = pages.get(source)
    return name === undefined ? `${label} (\`${target}\`)` : `[${label}](/${name}${hash})`
  })
}

/** Writes a page for each entry point of the package, named as it is imported. */
async function writeReference() {
  // TypeScript 7 has no programming interface yet, so TypeDoc is given version 6.
  const hook = `export const resolve = (specifier, context, next) =>
    next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context)`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
  const { Application, Converter, ReflectionKind } = await import('typedoc')
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const names = new Map(
    Object.entries(exports)
      .filter(([, target]) => typeof target !== 'string')
      .map(([name, { types }]) => [types.replace('./dist/', 'src/').replace('.d.ts', '.ts'), name.slice(2) || 'core']),
  )
  const application = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...names.keys()].map(path => join(ROOT, path)),
    tsconfig: join(ROOT, 'src', 'tsconfig.build.json'),
    readme: 'none',
    out: join(PAGES, 'api'),
    disableSources: true,
    disableGit: true,
    outputFileStrategy: 'modules',
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    name: 'Reference',
    logLevel: 'Error',
    // Types that an entry point uses without exporting them have no page.
    validation: { notExported: false },
  })
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const source = [...names.keys()].find(path => path.replace(/^src\/|\.ts$/g, '') === module.name)
      module.name = names.get(source) ?? module.name
    }
  })
  const project = await application.convert()
  if (project === undefined || application.logger.hasErrors()) throw new Error('TypeDoc could not read the sources.')
  await application.generateOutputs(project)
  if (application.logger.hasErrors()) throw new Error('TypeDoc could not write the reference.')
}

rmSync(PAGES, { recursive: true, force: true })
for (const [source, name] of pages) {
  const file = join(PAGES, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, toSitePage(source, readFileSync(join(ROOT, source), 'utf8')))
}
// Readers that are programs find the pages as they are written.
for (const source of ['llms.txt', ...pages.keys()]) cpSync(join(ROOT, source), join(PAGES, 'public', source))
cpSync(join(ROOT, 'docs', 'images'), join(PAGES, 'docs', 'images'), { recursive: true })
await writeReference()
const { build } = await import('vitepress')
await build(join(ROOT, 'docs'))

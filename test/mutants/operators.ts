// The small mistakes that are tried in a source file, found in its syntax tree.
import ts from '@typescript/typescript6'

/** One mistake. */
export interface Mutant {
  /** Below `src`. */
  readonly file: string
  /** The name of the kind of mistake. */
  readonly operator: string
  /** From 1. */
  readonly line: number
  /** The whole file with the mistake in it. */
  readonly text: string
  /** The lines that differ, without indentation, as they were and as they are. */
  readonly before: string
  readonly after: string
}

const SWAPPED: Partial<Record<ts.SyntaxKind, readonly [operator: string, text: string]>> = {
  [ts.SyntaxKind.LessThanToken]: ['boundary', '<='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['boundary', '<'],
  [ts.SyntaxKind.GreaterThanToken]: ['boundary', '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['boundary', '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['equality', '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['equality', '==='],
  [ts.SyntaxKind.PlusToken]: ['arithmetic', '-'],
  [ts.SyntaxKind.MinusToken]: ['arithmetic', '+'],
  [ts.SyntaxKind.AsteriskToken]: ['arithmetic', '/'],
  [ts.SyntaxKind.SlashToken]: ['arithmetic', '*'],
  [ts.SyntaxKind.PercentToken]: ['arithmetic', '*'],
  [ts.SyntaxKind.PlusEqualsToken]: ['arithmetic', '-='],
  [ts.SyntaxKind.MinusEqualsToken]: ['arithmetic', '+='],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ['logic', '||'],
  [ts.SyntaxKind.BarBarToken]: ['logic', '&&'],
}

/** Methods whose call is left out: `a.slice(1)` becomes `a`. */
const LEFT_OUT =
  /^(slice|filter|sort|toSorted|reverse|toReversed|trim|trimEnd|trimStart|toLowerCase|toUpperCase|replace|replaceAll|concat|flat|padStart|padEnd)$/
const OTHER_METHOD: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
}

/** All mutants of a file, in the order of their places; some of them do not compile. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ES2023, true)
  const found: Mutant[] = []

  function replace(operator: string, { pos, end }: ts.TextRange, replacement: string): void {
    const start = pos + /^\s*/.exec(source.slice(pos, end))![0].length
    const text = source.slice(0, start) + replacement + source.slice(end)
    const from = source.lastIndexOf('\n', start - 1) + 1
    const lineEnd = (at: number, whole: string) =>
      whole.indexOf('\n', at) < 0 ? whole.length : whole.indexOf('\n', at)
    const before = source.slice(from, lineEnd(end, source)).trim()
    const after = text.slice(from, lineEnd(start + replacement.length, text)).trim()
    found.push({ file, operator, line: source.slice(0, start).split('\n').length, text, before, after })
  }
  const rangeOf = (node: ts.Node): ts.TextRange => ({ pos: node.getStart(tree), end: node.end })
  const negate = (node: ts.Expression): void => replace('condition', rangeOf(node), `!(${node.getText(tree)})`)

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression)
    else if (ts.isConditionalExpression(node)) negate(node.condition)
    else if (ts.isBinaryExpression(node)) visitBinary(node)
    else if (ts.isPrefixUnaryExpression(node)) visitUnary(node)
    else if (ts.isPostfixUnaryExpression(node)) visitStep(node)
    else if (ts.isExpressionStatement(node)) replace('statement', rangeOf(node), '{}')
    else if (ts.isReturnStatement(node)) visitReturn(node)
    else if (ts.isArrowFunction(node) && ts.isCallExpression(node.body))
      replace('call', rangeOf(node.body), 'undefined')
    else if (ts.isCallExpression(node)) visitCall(node)
    else if (ts.isPropertyAccessChain(node) && node.questionDotToken) replace('chain', node.questionDotToken, '!.')
    else if (ts.isNumericLiteral(node)) visitNumber(node)
    else if (ts.isStringLiteral(node)) visitString(node)
    else if (node.kind === ts.SyntaxKind.TrueKeyword) replace('boolean', rangeOf(node), 'false')
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace('boolean', rangeOf(node), 'true')
    else if (ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node)) visitLiteral(node)
    ts.forEachChild(node, visit)
  }

  function visitBinary({ left, operatorToken, right }: ts.BinaryExpression): void {
    const swapped = SWAPPED[operatorToken.kind]
    if (swapped !== undefined) replace(swapped[0], operatorToken, swapped[1])
    if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      replace('fallback', { pos: left.getStart(tree), end: right.end }, right.getText(tree))
  }

  function visitUnary(node: ts.PrefixUnaryExpression): void {
    visitStep(node)
    const isDropped = node.operator === ts.SyntaxKind.ExclamationToken || node.operator === ts.SyntaxKind.MinusToken
    if (isDropped) replace('sign', rangeOf(node), node.operand.getText(tree))
  }

  function visitStep({ operator, operand }: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): void {
    if (operator === ts.SyntaxKind.PlusPlusToken)
      replace('arithmetic', rangeOf(operand.parent), `--${operand.getText(tree)}`)
    if (operator === ts.SyntaxKind.MinusMinusToken)
      replace('arithmetic', rangeOf(operand.parent), `++${operand.getText(tree)}`)
  }

  /** An empty value of the type that the function declares. */
  function visitReturn(node: ts.ReturnStatement): void {
    if (node.expression === undefined) return
    const type = ts.findAncestor(node, ts.isFunctionLike)?.type?.getText(tree) ?? ''
    if (type === 'boolean') negate(node.expression)
    const empty = /\bundefined\b/.test(type)
      ? 'undefined'
      : type.endsWith('[]')
        ? '[]'
        : { string: "''", number: '0' }[type]
    if (empty !== undefined && empty !== node.expression.getText(tree))
      replace('return', rangeOf(node.expression), empty)
  }

  function visitCall({ expression: callee }: ts.CallExpression): void {
    if (!ts.isPropertyAccessExpression(callee)) return
    const name = callee.name.text
    const call = rangeOf(callee.parent)
    if (LEFT_OUT.test(name)) replace('method', call, callee.expression.getText(tree))
    if (Object.hasOwn(OTHER_METHOD, name)) replace('method', rangeOf(callee.name), OTHER_METHOD[name]!)
  }

  /** A large number becomes one that matters. */
  function visitNumber(node: ts.NumericLiteral): void {
    const value = Number(node.text)
    replace('number', rangeOf(node), `${value < 100 ? value + 1 : 2 * value}`)
  }

  function visitString(node: ts.StringLiteral): void {
    if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return
    replace('string', rangeOf(node), node.text === '' ? "'mutant'" : "''")
  }

  /** Long literals are tables: one row fewer is the same mistake each time. */
  function visitLiteral(node: ts.ArrayLiteralExpression | ts.ObjectLiteralExpression): void {
    const parts: readonly ts.Node[] = ts.isArrayLiteralExpression(node) ? node.elements : node.properties
    if (parts.length > 12) return
    for (const [i, part] of parts.entries())
      replace('part', { pos: part.getStart(tree), end: parts[i + 1]?.getStart(tree) ?? part.end }, '')
  }

  visit(tree)
  return found.filter(({ text }) => text !== source)
}

/** Whether the compiler accepts a mutant: one that it refuses could not be committed. */
export function createTypeCheck(root: string): (mutant: Mutant) => boolean {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root)
  let current: { readonly path: string; readonly text: string } | undefined
  let version = 0
  const textOf = (path: string) => (path === current?.path ? current.text : ts.sys.readFile(path))
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: path => (path === current?.path ? `${version}` : '0'),
    getScriptSnapshot: path => {
      const text = textOf(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  })
  return ({ file, text }) => {
    current = { path: `${root}/src/${file}`, text }
    version++
    const { path } = current
    return service.getSyntacticDiagnostics(path).length + service.getSemanticDiagnostics(path).length === 0
  }
}

/**
 * Finds tables of kinds outside the registrations. A kind is known by its registration: who needs to know of kinds asks the server's
 * registry, or discovery. So no other file imports the list of built-in rows, and none has an object, a map or a set whose keys are
 * kinds ("apps/v1/Deployment", "/Pod").
 */
import { isNode, isOfTests, type SourceFile, type SyntaxNode, visit } from './source-file.ts';

/** Where kinds are registered: their rows, their rules, how they are stored. */
const REGISTRATIONS = /^(?:api\/(?:resources\.ts|index\.ts|rules\/|schema\/)|apiserver\/kinds\/)/;
/** Names of `api` that lead to the list of all built-in kinds. */
const LISTS: ReadonlySet<string> = new Set(['RESOURCES', 'findKind', 'findResource']);
/** "GROUP/Kind", "GROUP/VERSION/Kind", the core group being empty. */
const KIND_KEY = /^(?:[a-z0-9.-]*\/|(?:[a-z0-9.-]+\/)?v\d\w*\/)[A-Z][A-Za-z]+$/;
/** So many kinds are a table. */
const MIN_KINDS = 3;

/** @param against files that break the rule for now, each with the reason beside it */
export function findKindTables(files: readonly SourceFile[], against: readonly string[]): readonly string[] {
  const problems = files
    .filter((file) => !isOfTests(file) && !REGISTRATIONS.test(file.path))
    .map((file) => [file.path, problemsOf(file)] as const);
  const kept = problems.flatMap(([path, found]) => (against.includes(path) ? [] : found));
  const mended = against.filter((path) => !problems.some(([each, found]) => each === path && found.length > 0));
  return [...kept, ...mended.map((path) => `src/${path}:1: no table of kinds is here any more: take it off the list`)];
}

function problemsOf(file: SourceFile): readonly string[] {
  const problems: string[] = [];
  visit(file.tree(), undefined, (node) => {
    for (const name of listsImported(node)) {
      const at = `src/${file.path}:${file.lineAt(node.start)}`;
      problems.push(`${at}: imports ${name}, the list of built-in kinds; ask the registry or discovery`);
    }
    if (keysOf(node).filter((key) => KIND_KEY.test(key)).length >= MIN_KINDS) {
      const at = `src/${file.path}:${file.lineAt(node.start)}`;
      problems.push(`${at}: a table of kinds; what is known of a kind belongs to its registration`);
    }
    return undefined;
  });
  return problems;
}

/** The lists that a declaration imports from `api`; others may have such a name for something else. */
function listsImported(node: SyntaxNode): readonly string[] {
  const { source } = node;
  if (node.type !== 'ImportDeclaration' || !isNode(source)) return [];
  if (!/\bapi\/(?:index|resources)\.ts$/.test(String(source['value']))) return [];
  return nodes(node['specifiers']).flatMap(({ imported }) => {
    const name = isNode(imported) ? imported['name'] : undefined;
    return typeof name === 'string' && LISTS.has(name) ? [name] : [];
  });
}

/** The texts by which an object, or a list for a map or set, finds its values. */
function keysOf(node: SyntaxNode): readonly string[] {
  if (node.type === 'ObjectExpression') return nodes(node['properties']).flatMap((each) => textOf(each['key']));
  if (node.type !== 'ArrayExpression') return [];
  return nodes(node['elements']).flatMap((each) => {
    if (each.type !== 'ArrayExpression') return textOf(each);
    return textOf(nodes(each['elements'])[0]);
  });
}

function nodes(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function textOf(node: unknown): readonly string[] {
  if (!isNode(node) || node.type !== 'Literal' || typeof node['value'] !== 'string') return [];
  return [node['value']];
}

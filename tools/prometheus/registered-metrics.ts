/** The metrics that the sources register, with their labels, from the syntax trees. Pure. */
import { isNode, isOfTests, type SourceFile, type SyntaxNode, visit } from '../house/source-file.ts';

/** By name. `undefined`: the labels are computed. */
export type RegisteredMetrics = ReadonlyMap<string, RegisteredMetric>;

export interface RegisteredMetric {
  readonly type: string;
  readonly labels: ReadonlySet<string> | undefined;
}

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const TYPES = ['counter', 'gauge', 'histogram'];

/**
 * Three forms are known: an object with `name`, `help` and perhaps `labels` that is given to `counter`, `gauge` or `histogram`; a
 * call of one of these with name and help; and `family(TYPE, NAME, HELP, LABELS)`.
 */
export function registeredMetrics(files: readonly SourceFile[]): RegisteredMetrics {
  const found = new Map<string, RegisteredMetric>();
  for (const file of files) {
    if (isOfTests(file) || !/\b(counter|gauge|histogram|family)\(/.test(file.text)) continue;
    const constants = constantsOf(file.tree());
    visit(file.tree(), undefined, (node) => {
      const metric = metricOf(node, constants);
      if (metric !== undefined) found.set(metric.name, metric);
    });
  }
  return found;
}

type Constants = ReadonlyMap<string, SyntaxNode>;

/** Values of `const` by name, of whatever scope: names of lists of labels are not used twice in one file. */
function constantsOf(tree: SyntaxNode): Constants {
  const found = new Map<string, SyntaxNode>();
  visit(tree, undefined, (node) => {
    const { id, init } = node;
    if (node.type === 'VariableDeclarator' && isNode(id) && typeof id['name'] === 'string' && isNode(init))
      found.set(id['name'], init);
  });
  return found;
}

function metricOf(node: SyntaxNode, constants: Constants): (RegisteredMetric & { readonly name: string }) | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const called = calledName(node);
  const [first, second, third, fourth] = argumentsOf(node);
  if (called === 'family') return named(textOf(first) ?? '', textOf(second), fourth, constants, third);
  if (called === undefined || !TYPES.includes(called)) return undefined;
  if (first?.type === 'ObjectExpression')
    return named(called, textOf(propertyOf(first, 'name')), propertyOf(first, 'labels'), constants, first);
  return named(called, textOf(first), undefined, constants, second);
}

function named(
  type: string,
  name: string | undefined,
  labels: SyntaxNode | undefined,
  constants: Constants,
  help: SyntaxNode | undefined,
): (RegisteredMetric & { readonly name: string }) | undefined {
  if (name === undefined || !NAME.test(name) || help === undefined) return undefined;
  const list = labels === undefined ? [] : textsOf(labels, constants);
  return { type, name, labels: list === undefined ? undefined : new Set(list) };
}

function calledName({ callee }: SyntaxNode): string | undefined {
  if (!isNode(callee)) return undefined;
  const { name, property } = callee;
  if (typeof name === 'string') return name;
  return isNode(property) && typeof property['name'] === 'string' ? property['name'] : undefined;
}

function argumentsOf(node: SyntaxNode): readonly SyntaxNode[] {
  const given = node['arguments'];
  return Array.isArray(given) ? given.filter(isNode) : [];
}

function propertyOf({ properties }: SyntaxNode, wanted: string): SyntaxNode | undefined {
  const all = Array.isArray(properties) ? properties.filter(isNode) : [];
  const value = all.find(({ key }) => isNode(key) && key['name'] === wanted)?.['value'];
  return isNode(value) ? value : undefined;
}

function textOf(node: SyntaxNode | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

/** The texts of an array literal, or of a constant that is one; undefined: they are computed. */
function textsOf(node: SyntaxNode, constants: Constants): readonly string[] | undefined {
  if (node.type === 'Identifier') {
    const value = constants.get(String(node['name']));
    return value === undefined ? undefined : textsOf(value, constants);
  }
  if (/^TS(As|Satisfies)Expression$/.test(node.type) && isNode(node['expression']))
    return textsOf(node['expression'], constants);
  const { elements } = node;
  if (node.type !== 'ArrayExpression' || !Array.isArray(elements)) return undefined;
  const parts = elements.filter(isNode).map((each) => {
    const { argument } = each;
    if (each.type === 'SpreadElement') return isNode(argument) ? textsOf(argument, constants) : undefined;
    const text = textOf(each);
    return text === undefined ? undefined : [text];
  });
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

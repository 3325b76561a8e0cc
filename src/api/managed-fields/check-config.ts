/** Whether an object may be applied: whether it fits its schema (upstream: typed/validate.go, with its words). */
import { elementOfItem } from './list-items.ts';
import { fieldElement, type PathElement, printPath } from './path-element.ts';
import type { ListPlace, MapPlace, Place } from './place.ts';
import { type Fields, isFields, shapeAt } from './value.ts';

/** No more problems than this are told. */
const MAX_PROBLEMS = 50;

/** One line per problem, each with the path of its field; none: it fits. */
export function problemsOfConfig(value: unknown, place: Place): string[] {
  const problems: string[] = [];
  const add = (path: readonly PathElement[], message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(path.length === 0 ? message : `${printPath(path)}: ${message}`);
  };
  check(value, place, [], add);
  return problems;
}

/** Several problems as one text. */
export function printProblems(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : ['errors:', ...problems.map((line) => `  ${line}`)].join('\n');
}

type Add = (path: readonly PathElement[], message: string) => void;

function check(value: unknown, place: Place, path: readonly PathElement[], add: Add): void {
  if (value === null || value === undefined) return;
  switch (shapeAt(place, value)) {
    case 'scalar':
      return checkScalar(value, place, path, add);
    case 'list':
      if (!Array.isArray(value)) return add(path, `expected list, got ${printGo(value)}`);
      return place.list === undefined ? undefined : checkList(value, place.list, path, add);
    case 'map':
      if (!isFields(value)) return add(path, `expected map, got ${printGo(value)}`);
      return place.map === undefined ? undefined : checkMap(value, place.map, path, add);
  }
}

function checkScalar(value: unknown, { scalar }: Place, path: readonly PathElement[], add: Add): void {
  const got = (): string => printGo(value);
  if (scalar === 'string' && typeof value !== 'string') add(path, `expected string, got ${got()}`);
  if (scalar === 'boolean' && typeof value !== 'boolean') add(path, `expected boolean, got ${got()}`);
  if (scalar === 'numeric' && typeof value !== 'number') add(path, `expected numeric (int or float), got ${got()}`);
}

function checkList(items: readonly unknown[], list: ListPlace, path: readonly PathElement[], add: Add): void {
  const seen = new Set<PathElement>();
  for (const [position, item] of items.entries()) {
    if (list.type === 'atomic') {
      check(item, list.element, [...path, `i:${position}`], add);
      continue;
    }
    const named = elementOfItem(list, item);
    if ('problem' in named) {
      add(path, `element ${position}: ${named.problem}`);
      continue;
    }
    const { element } = named;
    if (seen.has(element)) add(path, `duplicate entries for key ${printPath([element])}`);
    seen.add(element);
    check(item, list.element, [...path, element], add);
  }
}

function checkMap(fields: Fields, map: MapPlace, path: readonly PathElement[], add: Add): void {
  for (const name of Object.keys(fields)) {
    const inner = [...path, fieldElement(name)];
    const place = map.child(name);
    if (place === undefined) add(inner, 'field not declared in schema');
    else check(fields[name], place, inner, add);
  }
}

/** A value as upstream's messages print it. */
function printGo(value: unknown): string {
  return `&value.valueUnstructured{Value:${goLiteral(value)}}`;
}

function goLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`.slice(0, 200);
  if (!isFields(value)) return JSON.stringify(value).slice(0, 200);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${goLiteral(value[name])}`);
  return `map[string]interface {}{${members.join(', ')}}`.slice(0, 200);
}

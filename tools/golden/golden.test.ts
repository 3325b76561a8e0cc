/** Compares our server with a real one of the same version, on all golden questions about kinds that we serve. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askDefaults } from './ask-defaults.ts';
import { askEmptyValues } from './ask-empty-values.ts';
import { askQuantities } from './ask-quantities.ts';
import { CRD_TYPE, CRD_TYPES } from './crd-types.ts';
import { defaultsDifference, type Difference, differenceOf, quantityDifference, questionOf } from './compare.ts';
import { NAMED_DIFFERENCES } from './named-differences.ts';
import { isServed, type OwnServer, readBases, readGolden, readSchema, startOwnServer } from './own-server.ts';

/** One of this many PUTs is tried here, all of them by `npm run golden`, because each writes a whole object three times. */
const PUT_STRIDE = 24;
/** One of this many places in the deployment's template is tried, because the same pod is tried in full by itself. */
const TEMPLATE_STRIDE = 6;
const TEMPLATE = 'Deployment spec.template.spec.';

const derived = readSchema();
const types = { ...derived.types, ...CRD_TYPES };
const kinds: Readonly<Record<string, string>> = {
  ...derived.kinds,
  'apiextensions.k8s.io/v1/CustomResourceDefinition': CRD_TYPE,
};
const bases = readBases('rich');
const golden = new Map(readGolden('empty-values').map((row) => [questionOf(row), row]));
let server: OwnServer;
/** Questions whose answers differ, and all questions. */
const differing = new Map<string, Difference>();
const asked = new Set<string>();

beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server.close());

function note(question: string, difference: Difference | undefined): void {
  asked.add(question);
  if (difference !== undefined) differing.set(question, difference);
}

/** The differences without a name. */
function unnamed(questions: Iterable<string>): string[] {
  return [...questions]
    .filter((question) => differing.has(question) && !NAMED_DIFFERENCES.some(({ covers }) => covers.test(question)))
    .map((question) => `${differing.get(question)}: ${question}`);
}

describe('empty values', () => {
  const served = bases.filter((base) => isServed(base.object));

  it.each(served.map((base) => [base.name, base] as const))('of %s', async (_, base) => {
    const type = kinds[`${base.object.apiVersion}/${base.object.kind}`] ?? '';
    let puts = 0;
    let places = 0;
    const tryPut = () => puts++ % PUT_STRIDE === 0;
    const isAsked = (path: string) => !`${base.name} ${path}`.startsWith(TEMPLATE) || places++ % TEMPLATE_STRIDE === 0;
    const rows = await askEmptyValues(base, {
      call: server.call,
      types,
      type,
      parallel: 1,
      isAsked,
      tryPut,
    });
    const questions = rows.map(questionOf);
    for (const row of rows) {
      const other = golden.get(questionOf(row));
      note(questionOf(row), other === undefined ? 'acceptance' : differenceOf(row, other));
    }
    expect(unnamed(questions)).toEqual([]);
  });

  it('are all asked of the kinds that are served; of the others, these are left out', () => {
    const left: Record<string, number> = {};
    for (const { kind } of golden.values()) {
      if (!served.some(({ name }) => name === kind)) left[kind] = (left[kind] ?? 0) + 1;
    }
    const unasked = [...golden].filter(
      ([question, { kind }]) => !asked.has(question) && left[kind] === undefined && !question.startsWith(TEMPLATE),
    );
    expect(unasked.map(([question]) => question)).toEqual([]);
    expect(left).toEqual({
      ValidatingWebhookConfiguration: 186,
    });
  });
});

it('quantities are stored as upstream spells them', async () => {
  const answers = new Map(readGolden('quantities').map((row) => [questionOf(row), row]));
  const served = new Set(bases.filter((base) => isServed(base.object)).map(({ object }) => object.kind));
  const rows = await askQuantities(server.call, 1, (kind) => served.has(kind));
  for (const row of rows) {
    const other = answers.get(questionOf(row));
    note(questionOf(row), other === undefined ? 'acceptance' : quantityDifference(row, other));
  }
  expect(rows.length).toBe(1155);
  expect(unnamed(rows.map(questionOf))).toEqual([]);
});

describe('defaults', () => {
  const answers = new Map(readGolden('defaults').map((row) => [row.kind, row]));
  const served = readBases('minimal').filter((base) => isServed(base.object));

  it.each(served.map((base) => [base.name, base] as const))('of %s', async (_, base) => {
    const row = await askDefaults(base, server.call);
    const other = answers.get(base.name);
    if (other === undefined || defaultsDifference(row, other) !== undefined) expect(row).toEqual(other);
  });
});

describe('every difference that has a name', () => {
  it.each(NAMED_DIFFERENCES.map((named) => [String(named.covers), named] as const))(
    'is still one: %s',
    (_, { covers }) => {
      const covered = [...asked].filter((question) => covers.test(question));
      expect(covered).not.toEqual([]);
      expect(covered.filter((question) => !differing.has(question))).toEqual([]);
    },
  );
});

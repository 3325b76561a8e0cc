/**
 * `npm run golden`: asks our own server all golden questions, every PUT too, and prints what differs and has no name.
 * `npm run golden -- KUBECONFIG`: asks the server of a kubeconfig, and writes its answers into test/golden/.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { askDefaults } from './ask-defaults.ts';
import { askEmptyValues, type EmptyValueRow } from './ask-empty-values.ts';
import { askQuantities } from './ask-quantities.ts';
import { type Base, type Call, NAMESPACE } from './call.ts';
import { differenceOf, questionOf, sameRefusal } from './compare.ts';
import { CRD_TYPE, CRD_TYPES } from './crd-types.ts';
import { httpsCall } from './https-call.ts';
import { NAMED_DIFFERENCES } from './named-differences.ts';
import { isServed, prepareNamespace, readBases, readGolden, readSchema, startOwnServer } from './own-server.ts';

const TARGET = resolve(import.meta.dirname, '../../test/golden');
const schema = readSchema();

function ask(base: Base, call: Call, parallel: number): Promise<readonly EmptyValueRow[]> {
  const { apiVersion, kind } = base.object;
  const type = schema.kinds[`${apiVersion}/${kind}`] ?? CRD_TYPE;
  return askEmptyValues(base, {
    call,
    types: { ...schema.types, ...CRD_TYPES },
    type,
    parallel,
    isAsked: () => true,
    tryPut: () => true,
  });
}

async function askOurs(): Promise<void> {
  const server = await startOwnServer();
  const golden = new Map(readGolden('empty-values').map((row) => [questionOf(row), row]));
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const base of readBases('rich').filter(({ object }) => isServed(object))) {
    for (const row of await ask(base, server.call, 1)) {
      const question = questionOf(row);
      const other = golden.get(question);
      const difference = other === undefined ? 'acceptance' : differenceOf(row, other);
      const isNamed = NAMED_DIFFERENCES.some(({ covers }) => covers.test(question));
      count(difference === undefined ? 'agree' : `${isNamed ? 'named' : 'unnamed'} ${difference}`);
      if (difference === undefined && other !== undefined && !sameRefusal(row, other)) count('refused in other words');
      if (difference !== undefined && !isNamed) console.log(`${difference}: ${question}`);
    }
  }
  console.log(counts);
  await server.close();
}

async function askTheirs(kubeconfig: string): Promise<void> {
  const { call, close } = httpsCall(kubeconfig);
  const parallel = 8;
  try {
    await prepareNamespace(call);
    const values: EmptyValueRow[] = [];
    for (const base of readBases('rich')) values.push(...(await ask(base, call, parallel)));
    const defaults = [];
    for (const base of readBases('minimal')) defaults.push(await askDefaults(base, call));
    write('empty-values', values);
    write('quantities', await askQuantities(call, parallel, () => true));
    write('defaults', defaults);
  } finally {
    await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    close();
  }
}

function write(name: string, rows: readonly object[]): void {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(resolve(TARGET, `${name}.jsonl.gz`), gzipSync(text, { level: 9 }));
  console.log(`${name}: ${rows.length} rows`);
}

const [kubeconfig] = process.argv.slice(2);
await (kubeconfig === undefined ? askOurs() : askTheirs(kubeconfig));

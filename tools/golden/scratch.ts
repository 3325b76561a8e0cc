import { writeFileSync } from 'node:fs';
import { askEmptyValues, type EmptyValueRow } from './ask-empty-values.ts';
import { askQuantities, type QuantityRow } from './ask-quantities.ts';
import { askDefaults, type DefaultsRow } from './ask-defaults.ts';
import { sortedText } from './answers.ts';
import { isServed, readBases, readGolden, readSchema, startOwnServer } from './own-server.ts';
const only = new RegExp(process.argv[2] ?? '.');
const putEvery = Number(process.argv[3] ?? '0');
const schema = readSchema();
const { call } = await startOwnServer();
const key = (r: {kind:string;path:string;sent?:unknown}) => `${r.kind} ${r.path} ${'sent' in r ? JSON.stringify(r.sent) : '-'}`;
const golden = new Map(readGolden<EmptyValueRow>('empty-values').map((r) => [key(r), r]));
const out: string[] = [];
const counts: Record<string, number> = {};
const count = (k: string) => { counts[k] = (counts[k] ?? 0) + 1; };
const t0 = Date.now();
for (const base of readBases('rich')) {
  if (!isServed(base.object) || !only.test(base.name)) continue;
  let n = 0;
  const t = Date.now();
  let rows: readonly EmptyValueRow[];
  try { rows = await askEmptyValues(base, { call, types: schema.types, type: schema.kinds[`${base.object.apiVersion}/${base.object.kind}`]!, parallel: 1, tryPut: () => putEvery > 0 && n++ % putEvery === 0 }); } catch (e) { console.log(String(e)); count('base refused'); continue; }
  console.error(base.name, rows.length, Date.now() - t);
  for (const r of rows) {
    const g = golden.get(key(r));
    if (!g) { count('no golden'); continue; }
    golden.delete(key(r));
    count('rows');
    const say = (what: string, ours: unknown, theirs: unknown) => { count(what); out.push(`${what}\t${key(r)}\tours ${JSON.stringify(ours)?.slice(0,300)}\ttheirs ${JSON.stringify(theirs)?.slice(0,300)}`); };
    if ((r.status === 201) !== (g.status === 201)) say(r.status === 201 ? 'accepted-here' : 'refused-here', r.errors ?? r.status, g.errors ?? g.status);
    else if (r.status === 201) {
      if (sortedText(r.got) !== sortedText(g.got)) say('value', r.got, g.got);
      else if (r.same !== g.same) say('same', r.same, g.same);
      else if (r.put !== undefined && r.put !== g.put) say('put', r.put, g.put);
      else count('agree');
    } else if (sortedText(r.errors) !== sortedText(g.errors) || r.status !== g.status) { say('errors', [r.status, r.errors], [g.status, g.errors]); count('agree'); }
    else count('agree');
  }
}
let left = 0; for (const k of golden.keys()) if (only.test(k.split(' ')[0]!) && isServed({apiVersion: 'v1', kind: k.split(/[ #]/)[0]!})) left++;
console.log('unasked', left, Date.now() - t0);
if (only.test('quantities')) {
  const gq = new Map(readGolden<QuantityRow>('quantities').map((r) => [`${r.kind} ${r.path} ${r.sent}`, r]));
  for (const r of await askQuantities(call, 1, (kind) => kind !== 'HorizontalPodAutoscaler')) {
    const g = gq.get(`${r.kind} ${r.path} ${r.sent}`)!;
    count('q rows');
    if ((r.status === 201) !== (g.status === 201) || r.got !== g.got) { count('q differ'); out.push(`quantity\t${r.kind} ${r.path} ${r.sent}\tours ${r.status} ${JSON.stringify(r.got ?? r.errors)}\ttheirs ${g.status} ${JSON.stringify(g.got ?? g.errors)}`); }
    else if (sortedText(r.errors ?? []) !== sortedText(g.errors ?? [])) { count('q errors'); out.push(`qerrors\t${r.kind} ${r.path} ${r.sent}\tours ${r.status} ${JSON.stringify(r.errors)}\ttheirs ${g.status} ${JSON.stringify(g.errors)}`); }
  }
}
if (only.test('defaults')) {
  const gd = new Map(readGolden<DefaultsRow>('defaults').map((r) => [r.kind, r]));
  for (const base of readBases('minimal')) {
    if (!isServed(base.object)) continue;
    const r = await askDefaults(base, call); const g = gd.get(base.name)!;
    count('d rows');
    if (sortedText(r.stored ?? r.errors) !== sortedText(g.stored ?? g.errors)) { count('d differ'); out.push(`defaults\t${base.name}\tours ${sortedText(r.stored ?? r.errors)}\ttheirs ${sortedText(g.stored ?? g.errors)}`); }
  }
}
writeFileSync('/tmp/golden.out', out.join('\n'));
console.log(counts);
process.exit(0);

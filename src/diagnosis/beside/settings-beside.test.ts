import { expect, it } from 'vitest';
import { configMap, pod } from '../evidence.fixtures.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { Diagnosis } from '../finding.ts';
import { configsBesideWanted } from './pods-beside.ts';
import { settingsBesideWanted, withSettingBeside } from './settings-beside.ts';

const of = (name: string, conf: string): Pod =>
  pod({
    name: `${name}-1`,
    metadata: {
      uid: name,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: `${name}-set`, controller: true }],
    },
    container: { volumeMounts: [{ name: 'conf', mountPath: '/conf' }] },
    spec: { volumes: [{ name: 'conf', configMap: { name: conf } }] },
  });
const told = (says: string): Diagnosis => ({
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'Diagnosis',
  subject: { kind: 'deployment', namespace: 'shop', name: 'web' },
  state: '1/1 ready',
  asWanted: true,
  findings: [{ id: 'fails-again', severity: 'warning', says, evidence: [], try: [] }],
  notLookedAt: [],
});
const UNPREPARED = 'container web runs, and fails: 7 ERROR: prepared statement "pdo_stmt_00000001" does not exist';
const pooler = configMap('pool', { 'pgbouncer.ini': '[pgbouncer]\npool_mode = transaction\n' });
const session = configMap('other', { 'pgbouncer.ini': '[pgbouncer]\npool_mode = session\n' });
const web = of('web', 'web');

it.each<[what: string, says: string, others: readonly Pod[], has: string | undefined]>([
  [
    'the only one that has it',
    UNPREPARED,
    [of('pool', 'pool'), of('db', 'db')],
    'statefulset/pool has pool_mode transaction (ConfigMap pool, key pgbouncer.ini, line 2)',
  ],
  ['two that have it', UNPREPARED, [of('pool', 'pool'), of('other', 'other')], undefined],
  ['no complaint about a setting', 'container web ends: no such file', [of('pool', 'pool')], undefined],
  ['one that is told already', `${UNPREPARED}; pool has pool_mode x`, [of('pool', 'pool')], undefined],
])('%s', (_what, says, others, has) => {
  const [first] = withSettingBeside(told(says), web, [web, ...others], [pooler, session]).findings;
  expect(first?.says).toBe(has === undefined ? says : `${says}; ${has}`);
});

it('leaves what the system refuses', () => {
  const refused = told('container web cannot write /x: Read-only file system');
  const [first] = refused.findings.map((each) => ({ ...each, id: 'read-only' }));
  expect(settingsBesideWanted({ findings: first === undefined ? [] : [first] })).toBe(false);
});

it('wants the files of others only for such a complaint', () => {
  expect(settingsBesideWanted(told(UNPREPARED))).toBe(true);
  expect(configsBesideWanted(told(UNPREPARED), [of('pool', 'pool')])).toEqual([{ kind: 'ConfigMap', name: 'pool' }]);
  expect(configsBesideWanted(told('container web ends: oh'), [of('pool', 'pool')])).toEqual([]);
});

import { expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import { secretValuesOf, valuesOf } from './secret-values.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

it('the values of a Secret, without those that only name who and where', () => {
  const data = {
    password: encoded('hunter2'),
    username: encoded('app'),
    'db-host': encoded('db.shop'),
    key: encoded('-----BEGIN A-----\nabcdefghijklmnop\n-----END A-----\n'),
  };
  expect(valuesOf({ data })).toEqual(['hunter2', '-----BEGIN A-----', 'abcdefghijklmnop', '-----END A-----']);
  expect(valuesOf(undefined)).toEqual([]);
});

it('reads what the pod uses, and is left without what cannot be read', async () => {
  const clock = createManualClock({ wall: 0, mono: 0 });
  const pod = testPod();
  const using = {
    ...pod,
    spec: { ...pod.spec, containers: [{ name: 'main', envFrom: [{ secretRef: { name: 'db' } }] }] },
  };
  const secrets = { secret: async (_: string, name: string) => ({ data: { password: encoded(`${name}-hunter2`) } }) };
  expect(await secretValuesOf({ clock, logger: silentLogger, secrets }, using)).toEqual(['db-hunter2']);
  expect(await secretValuesOf({ clock, logger: silentLogger, secrets }, pod)).toEqual([]);
  const away = { secret: () => Promise.reject(new Error('away')) };
  expect(await secretValuesOf({ clock, logger: silentLogger, secrets: away }, using)).toEqual([]);
});

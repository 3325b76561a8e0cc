/** The variable with the name of a peer, of containers that run or that are not let in. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { evidence, pod } from '../../evidence.fixtures.ts';
import { nearSetting } from '../../facts/configs/near-settings.ts';
import { endedWith } from './cases.fixtures.ts';

const NOT_FOUND =
  'consumer: Cannot connect to redis://redis-maser:6379/0: Error -2 connecting to redis-maser:6379. Name or service not known..';
const BROKER = { name: 'CELERY_BROKER_URL', value: 'redis://redis-maser:6379/0' };

const runs = (...env: readonly { name: string; value: string }[]): string => {
  const lines = Array.from({ length: 8 }, () => [NOT_FOUND, 'Trying again in 2.00 seconds... (1/100)', '']).flat();
  const given = { pod: pod({ container: { env: [...env] } }), logs: { web: { current: lines } } };
  return diagnosePod(evidence(given)).findings[0]?.says ?? '';
};
const ends = (line: string, ...env: readonly { name: string; value: string }[]): string =>
  diagnosePod(evidence(endedWith({ container: { env: [...env] } }, [line]))).findings[0]?.says ?? '';

describe('the variable that names a peer', () => {
  it('is told of a container that runs and tries again', () => {
    expect(runs(BROKER, { name: 'PYTHONDONTWRITEBYTECODE', value: '1' })).toMatch(
      /does not find redis-maser .*; redis-maser is in its variable CELERY_BROKER_URL/,
    );
  });

  it('is not told where two name it', () => {
    expect(runs(BROKER, { name: 'RESULTS', value: 'redis://redis-maser:6379/1' })).not.toMatch(/in its variable/);
  });

  it('is told of one that is not let in', () => {
    const said = ends('redis.exceptions.AuthenticationError: Authentication required.', {
      name: 'REDIS_URL',
      value: 'redis://redis:6379/0',
    });
    expect(said).toMatch(/redis:6379, which wants a password, and it gives none: .*REDIS_URL/);
  });
});

describe('the variable with the name of what a peer lacks', () => {
  const database = { name: 'DB_NAME', value: 'inventory_prod' };
  const others = [
    { name: 'DB_HOST', value: 'mysql' },
    { name: 'DB_USER', value: 'sync' },
  ];

  it('is the one that stands after its kind, where the line quotes others, too', () => {
    const line =
      "DBI connect('database=inventory_prod;host=mysql;port=3306','sync',...) failed: Unknown database 'inventory_prod' at /app/sync.pl line 4.";
    expect(ends(line, database, ...others)).toMatch(/inventory_prod is of its variable DB_NAME$/);
  });
});

it('takes no word of a request for a name, and a part of another name for no place of the name that is missed', () => {
  const files = [{ says: 'ConfigMap front', text: 'http {\n  server { listen 80; }\n}\n', isList: false }];
  expect(
    nearSetting('catalog could not be resolved (3: Host not found), request: "GET / HTTP/1.1"', files),
  ).toBeUndefined();
  const members = {
    name: 'ETCD_INITIAL_CLUSTER',
    value: 'etcd0=http://etcd-0.etcd:2380,etcd1=http://etcd-1.etcd:2380',
  };
  const says = ends(
    'discovery failed: couldn\'t find local name "etcd-0" in the initial cluster configuration',
    members,
  );
  expect(says).toMatch(/; its variable ETCD_INITIAL_CLUSTER has etcd0 instead$/);
  expect(says).not.toContain('etcd-0 is in');
});

it('takes the kind of what is missing for no name', () => {
  const files = [{ says: 'ConfigMap bouncer', text: '[databases]\nshopdb = host=db\n', isList: false }];
  expect(nearSetting('FATAL: no such database: shop', files)).toBeUndefined();
  expect(nearSetting('FATAL: no such database "shop-db"', files)?.name).toBe('shopdb');
});

it('says that a folder cannot be made where the root is read-only, which Node calls a missing one', () => {
  const read = (line: string, readOnlyRootFilesystem: boolean): string =>
    diagnosePod(evidence(endedWith({ container: { securityContext: { readOnlyRootFilesystem } } }, [line]))).findings[0]
      ?.says ?? '';
  const line = "Error: ENOENT: no such file or directory, mkdir '/var/cache/thumbs'";
  expect(read(line, true)).toMatch(
    /cannot write \/var\/cache\/thumbs: the file system is read-only \(readOnlyRootFilesystem\)/,
  );
  expect(read(line, false)).not.toMatch(/read-only/);
});

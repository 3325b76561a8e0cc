/**
 * Tests NFS volumes with the server and the client of Debian's kernel, which the machines of the other suites do not have: what pods
 * write, and what becomes of them while the server is gone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { busyboxPod } from '../e2e/harness.ts';
import { MendletOnGuest, until } from './mendlet-on-guest.ts';

const SHARE = '/srv/share';
const PODS = '/api/v1/namespaces/default/pods';

const mendlet = new MendletOnGuest();

beforeAll(async () => {
  await mendlet.up();
  await mendlet.write('/etc/exports', `${SHARE} 127.0.0.1(rw,sync,no_root_squash,no_subtree_check)\n`);
  await mendlet.guest.sh(`mkdir -p ${SHARE} && systemctl start nfs-server`);
});
afterAll(() => mendlet.remove());

/** A pod that adds its name to a file of the volume. */
function writer(name: string, volume: object): object {
  return busyboxPod(name, `echo ${name} >>/share/names && sync && exec sleep 360000`, {
    spec: { volumes: [{ name: 'share', ...volume }] },
    container: { volumeMounts: [{ name: 'share', mountPath: '/share' }] },
  });
}

/** Type and options of the NFS mounts of pods, as the kernel tells them. */
async function mounts(): Promise<readonly string[]> {
  const text = await mendlet.guest.sh("awk '$3 ~ /^nfs/ && $2 ~ /kubernetes.io~nfs/ {print $3, $4}' /proc/mounts");
  return text.split('\n').filter(Boolean);
}

const names = (): Promise<string> => mendlet.guest.sh(`cat ${SHARE}/names`);

async function deleted(name: string): Promise<void> {
  await mendlet.request('DELETE', `${PODS}/${name}`);
  await until(`the end of pod ${name}`, async () => {
    const found = await mendlet.request<object>('GET', `${PODS}/${name}`);
    return found === undefined ? { value: true } : { last: JSON.stringify(found) };
  });
  await until('the end of its mount', async () => {
    const last = (await mounts()).join('\n');
    return last === '' ? { value: true } : { last };
  });
}

it('mounts an export, which has what pods wrote after they are gone', async () => {
  await mendlet.create(writer('first', { nfs: { server: '127.0.0.1', path: SHARE } }));
  await mendlet.untilRunning('first');
  expect(await mounts()).toEqual([expect.stringMatching(/^nfs4 rw,.*addr=127\.0\.0\.1/)]);
  await until('what the pod wrote', async () => {
    const { stdout: last } = await mendlet.guest.try(`cat ${SHARE}/names`);
    return last === 'first\n' ? { value: true } : { last };
  });
  await deleted('first');
  expect(await names()).toBe('first\n');
});

it('says that the server does not answer, and starts the pod once it does', async () => {
  await mendlet.guest.sh('systemctl stop nfs-server');
  const access = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  await mendlet.request('POST', '/api/v1/persistentvolumes', {
    metadata: { name: 'share' },
    spec: {
      ...access,
      capacity: { storage: '1Mi' },
      mountOptions: ['retry=0', 'nfsvers=4.1'],
      nfs: { server: '127.0.0.1', path: SHARE },
    },
  });
  await mendlet.request('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
    metadata: { name: 'share' },
    spec: { ...access, resources: { requests: { storage: '1Mi' } } },
  });
  await mendlet.create(writer('second', { persistentVolumeClaim: { claimName: 'share' } }));
  const said = await until('the event', async () => {
    const events = await mendlet.request<{ items: readonly { reason: string; message: string }[] }>(
      'GET',
      '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=second',
    );
    const found = events?.items.find(({ reason }) => reason === 'FailedMount');
    return found === undefined ? { last: JSON.stringify(events?.items) } : { value: found.message };
  });
  expect(said).toMatch(/"share".*mount\.nfs.*(refused|timed out)/is);
  await mendlet.guest.sh('systemctl start nfs-server');
  await mendlet.untilRunning('second');
  expect(await mounts()).toEqual([expect.stringMatching(/vers=4\.1/)]);
});

it('ends a pod whose server does not answer any more, and its mount', async () => {
  await until('what the pod wrote', async () => {
    const last = await names();
    return last === 'first\nsecond\n' ? { value: true } : { last };
  });
  await mendlet.guest.sh('systemctl stop nfs-server');
  await deleted('second');
  expect(await mendlet.guest.sh(`cat ${SHARE}/names`)).toBe('first\nsecond\n');
});

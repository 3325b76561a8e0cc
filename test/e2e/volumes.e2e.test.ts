/** Tests volumes as containers see them: contents, updates, hanging mounts, and clean-up. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, containerd2, mainContainer, Mendlet, outFolder, until } from './harness.ts';

const WORD = 'a-word-that-is-hidden-4711';

/** A `mount` that never comes back for volumes called "hang". */
const HANGING_MOUNT = `#!/bin/sh
case "$*" in
  */hang) echo $$ >>"$(dirname "$0")/pids"; exec sleep 100000 ;;
esac
for program in /usr/bin/mount /bin/mount; do
  [ -x $program ] && exec $program "$@"
done
`;

/** A script that asks the API server with the pod's token and CA, as a client library in a container does. */
const ASK = `
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, CA: ca, TOKEN: token } = process.env;
const headers = { authorization: 'Bearer ' + token };
const ask = (path) => new Promise((done) => {
  require('https').get({ host, port, path, ca, headers }, (answer) => {
    let text = '';
    answer.on('data', (piece) => (text += piece)).on('end', () => done(answer.statusCode + ' ' + text));
  }).on('error', (error) => done(error.message));
});
const secrets = '/api/v1/namespaces/' + process.env.NAMESPACE + '/secrets';
ask('/version').then(async (version) => console.log(version.slice(0, 3), await ask(secrets)));
`;
const ASKING = `
cd /var/run/secrets/kubernetes.io/serviceaccount
export NAMESPACE="$(cat namespace)" CA="$(cat ca.crt)" TOKEN="$(cat token)"
chroot /host ${execPath} -e "$ASK" >/out/asks 2>&1
exec sleep 36000
`;

type Volume = { readonly name: string } & Readonly<Record<string, unknown>>;

function runs(pid: string, program: string): boolean {
  const file = `/proc/${pid}/cmdline`;
  return /^\d+$/.test(pid) && existsSync(file) && readFileSync(file, 'utf8').startsWith(program);
}

describe('volumes', () => {
  const bin = `${env['TMPDIR'] ?? '/tmp'}/mendlet-e2e-hanging-mount-${process.pid}`;
  const mendlet = new Mendlet({
    podNetwork: 211,
    containerdFolder: containerd2,
    env: { PATH: `${bin}:${env['PATH']}` },
  });
  const out = outFolder(mendlet, 'volumes');
  const pods = join(mendlet.dataDir, 'agent/pods');

  /** A busybox pod with volumes at /NAME, and /out. */
  const pod = (name: string, script: string, volumes: readonly Volume[], spec: object = {}) => {
    const mounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
    return busyboxPod(name, script, {
      metadata: { labels: { app: 'x' } },
      container: {
        volumeMounts: [...mounts, { name: 'out', mountPath: '/out' }, ...extraMounts(name)],
        env: [{ name: 'ASK', value: ASK }],
      },
      spec: { volumes: [...volumes, { name: 'out', hostPath: { path: out.path, type: 'Directory' } }], ...spec },
    });
  };
  const ofParts: Readonly<Record<string, readonly object[]>> = {
    shapes: [{ name: 'cm', mountPath: '/sub', subPath: 'a' }],
    part: [{ name: 'maybe', mountPath: '/part', subPath: 'a' }],
  };
  const extraMounts = (name: string) => ofParts[name] ?? [];
  const show =
    'stat -L -c "%n %a %u %g" /cm/a /cm/..data/ /s/key /p/token /p/x/a /e /m /h; grep -E " /(s|p|d|m) " /proc/mounts';
  const live = 'echo "$(cat /cm/a) $(cat /p/x/a) $(cat /d/labels) $(cat /sub) $(echo /cm/*) $(echo /opt/*)"';
  const uidOf = async (name: string) => (await mendlet.pod(name)).metadata.uid;
  const eventsOf = (name: string) =>
    mendlet.kubectl([
      'get',
      'events',
      '--field-selector',
      `involvedObject.name=${name}`,
      '-o',
      'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
    ]);
  const untilEvent = (name: string, text: string) =>
    until(`event of ${name}: ${text}`, async () => {
      const events = await eventsOf(name);
      return events.includes(text) ? { value: events } : { last: events };
    });
  const untilLive = (what: string, text: string) =>
    until(what, async () => {
      const [line = ''] = out.lines('live');
      return line === text ? { value: true } : { last: line };
    });
  const ready = (name: string) => mendlet.untilPod(name, 'ready', (each) => mainContainer(each)?.ready === true);
  const mountsUnder = (folder: string) =>
    readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(folder));

  beforeAll(async () => {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'mount'), HANGING_MOUNT);
    chmodSync(join(bin, 'mount'), 0o755);
    await mendlet.up();
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap' };
    await mendlet.create(
      { ...configMap, metadata: { name: 'cm' }, data: { a: '1', b: 'B' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { key: WORD } },
      ...Array.from({ length: 10 }, (_, i) =>
        pod(`stuck-${i}`, 'exec sleep 36000', [{ name: 'hang', emptyDir: { medium: 'Memory' } }]),
      ),
      pod(
        'shapes',
        `{ ${show}; } >/out/shapes 2>&1; echo first >/h/file; while true; do ${live} >/out/live.new; mv /out/live.new /out/live; sleep 0.1; done`,
        [
          { name: 'cm', configMap: { name: 'cm' } },
          { name: 'opt', configMap: { name: 'opt', optional: true } },
          { name: 's', secret: { secretName: 's', defaultMode: 0o400 } },
          {
            name: 'p',
            projected: {
              sources: [
                { configMap: { name: 'cm', items: [{ key: 'a', path: 'x/a', mode: 0o400 }] } },
                { serviceAccountToken: { path: 'token', expirationSeconds: 600, audience: 'me' } },
              ],
            },
          },
          { name: 'd', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'e', emptyDir: {} },
          { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '5Mi' } },
          { name: 'h', hostPath: { path: join(out.path, 'made'), type: 'DirectoryOrCreate' } },
        ],
        { securityContext: { fsGroup: 2000 } },
      ),
      pod('waits', 'exec sleep 36000', [{ name: 'v', configMap: { name: 'later' } }]),
      pod('huge', 'exec sleep 36000', [{ name: 'v', emptyDir: { medium: 'HugePages' } }]),
      pod('busy', 'exec sleep 36000', [{ name: 'v', emptyDir: { medium: 'Memory' } }]),
      pod('image', 'ls /v/bin/busybox >/out/image; touch /v/x 2>>/out/image; exec sleep 36000', [
        { name: 'v', image: { reference: 'docker.io/library/busybox:latest', pullPolicy: 'IfNotPresent' } },
      ]),
      pod('file', 'exec sleep 36000', [{ name: 'v', hostPath: { path: out.path, type: 'File' } }]),
      pod('asks', ASKING, [{ name: 'host', hostPath: { path: '/', type: 'Directory' } }]),
    );
  });
  afterAll(async () => {
    await mendlet.down();
    // Mounts that hung when the agent was killed.
    const pids = existsSync(join(bin, 'pids')) ? readFileSync(join(bin, 'pids'), 'utf8') : '';
    spawnSync('kill', ['-9', ...pids.split('\n').filter((pid) => runs(pid, 'sleep'))]);
    rmSync(bin, { recursive: true, force: true });
  });

  it('show what they should, with the owners and modes of upstream', async () => {
    await ready('shapes');
    await untilLive('the first content', '1 1 app="x" 1 /cm/a /cm/b /opt/*');
    const shown = out.lines('shapes');
    expect(shown.slice(0, 8)).toEqual([
      '/cm/a 644 0 2000',
      '/cm/..data/ 2755 0 2000',
      '/s/key 440 0 2000',
      '/p/token 640 0 2000',
      '/p/x/a 440 0 2000',
      '/e 2777 0 2000',
      '/m 3777 0 2000',
      '/h 755 0 0',
    ]);
    expect(
      shown
        .slice(8)
        .map((line) => line.split(' ').slice(0, 3).join(' '))
        .toSorted(),
    ).toEqual(['d', 'm', 'p', 's'].map((name) => `tmpfs /${name} tmpfs`));
    expect(shown.find((line) => line.includes(' /m '))).toContain('size=5120k');
  });

  it('keep secrets off the disk', async () => {
    const uid = await uidOf('shapes');
    expect(readFileSync(join(pods, uid, 'volumes/kubernetes.io~secret/s/key'), 'utf8')).toBe(WORD);
    const found = spawnSync('find', [mendlet.dataDir, '-xdev', '-type', 'f', '-exec', 'grep', '-l', WORD, '{}', '+'], {
      encoding: 'utf8',
    });
    expect(found.stdout).toBe('');
  });

  it('follow their sources while the pod runs, but for a subPath', async () => {
    await mendlet.kubectl(['patch', 'configmap', 'cm', '--type=merge', '-p', '{"data":{"a":"2","b":null,"c":"C"}}']);
    await untilLive('the new ConfigMap', '2 2 app="x" 1 /cm/a /cm/c /opt/*');
    await mendlet.kubectl(['label', 'pod', 'shapes', 'app=y', '--overwrite']);
    await mendlet.kubectl(['create', 'configmap', 'opt', '--from-literal=z=1']);
    await untilLive('labels and an optional ConfigMap', '2 2 app="y" 1 /cm/a /cm/c /opt/z');
    await mendlet.kubectl(['delete', 'configmap', 'opt']);
    await untilLive('its end', '2 2 app="y" 1 /cm/a /cm/c /opt/*');
  });

  it('that may be absent are an empty folder where a subPath names no file of theirs', async () => {
    const maybe = { name: 'maybe', configMap: { name: 'not-there', optional: true } };
    await mendlet.create(
      pod('part', 'test -d /part; echo "$? $(ls -A /part | wc -l)" >/out/part; exec sleep 36000', [maybe]),
    );
    await ready('part');
    expect(out.lines('part')).toEqual(['0 0']);
  });

  it('may be mounted inside of each other, and stay there while the outer one follows its source', async () => {
    const script =
      'while true; do echo "$(cat /site/a) $(cat /site/sub/b) $(cat /site/sub/in/key) $(cat /site/in/a) $(ls /site/in/deep)" >/out/nested.new; mv /out/nested.new /out/nested; sleep 0.1; done';
    await mendlet.kubectl(['create', 'configmap', 'site', '--from-literal=a=1', '--from-literal=b=1']);
    const items = ['a', 'sub/b'].map((path) => ({ key: path.at(-1), path }));
    await mendlet.create(
      busyboxPod('nested', `touch /site/in/deep/file; ${script}`, {
        container: {
          volumeMounts: [
            { name: 'deep', mountPath: '/site/in/deep' },
            { name: 'in', mountPath: '/site/in/' },
            { name: 'key', mountPath: '/site/sub/in' },
            { name: 'site', mountPath: '/site' },
            { name: 'out', mountPath: '/out' },
          ],
        },
        spec: {
          volumes: [
            { name: 'site', configMap: { name: 'site', items } },
            { name: 'in', projected: { sources: [{ configMap: { name: 'site' } }] } },
            { name: 'key', secret: { secretName: 's' } },
            { name: 'deep', emptyDir: {} },
            { name: 'out', hostPath: { path: out.path, type: 'Directory' } },
          ],
        },
      }),
    );
    const shows = (text: string) =>
      until(text, async () => {
        const [line = ''] = out.lines('nested');
        return line === text ? { value: true } : { last: line };
      });
    await shows(`1 1 ${WORD} 1 file`);
    await mendlet.kubectl(['patch', 'configmap', 'site', '--type=merge', '-p', '{"data":{"a":"2","b":"2"}}']);
    await shows(`2 2 ${WORD} 2 file`);
  });

  it('say what they wait for, and come as soon as it is there', async () => {
    await untilEvent('waits', 'FailedMount MountVolume.SetUp failed for volume "v" : configmap "later" not found');
    await mendlet.kubectl(['create', 'configmap', 'later', '--from-literal=z=1']);
    await ready('waits');
    await untilEvent('huge', 'storage medium "HugePages" is not supported');
    await untilEvent('file', `hostPath type check failed: ${out.path} is not a file`);
  });

  it('may be images', async () => {
    await ready('image');
    await until('what it shows', async () => {
      const lines = out.lines('image');
      return lines.length === 2 ? { value: true } : { last: lines.join() };
    });
    expect(out.lines('image')).toEqual(['/v/bin/busybox', 'touch: /v/x: Read-only file system']);
  });

  it('give a pod the token by which the API server knows it', async () => {
    const answer = await until<string>('the answer', async () => {
      const text = out.lines('asks').join('\n');
      return text === '' ? { last: text } : { value: text };
    });
    expect(answer).toMatch(/^200 403 /);
    expect(answer).toContain('system:serviceaccount:default:default');
  });

  it('that hang keep nobody else waiting', async () => {
    expect(mainContainer(await mendlet.pod('stuck-0'))?.state.waiting?.reason).toBe('ContainerCreating');
    const fine = [
      { name: 'm', emptyDir: { medium: 'Memory' } },
      { name: 's', secret: { secretName: 's' } },
    ];
    await mendlet.create(pod('fine', 'exec sleep 36000', fine));
    await ready('fine');
    await mendlet.kubectl(['delete', 'pod', '--wait=false', ...Array.from({ length: 10 }, (_, i) => `stuck-${i}`)]);
  });

  it('that are busy are tried again until they can go', async () => {
    await ready('busy');
    const folder = join(pods, await uidOf('busy'));
    const holder = spawn('sleep', ['100000'], { cwd: join(folder, 'volumes/kubernetes.io~empty-dir/v') });
    await until('the holder', async () => (existsSync(`/proc/${holder.pid}/cwd`) ? { value: true } : { last: '' }));
    await mendlet.kubectl(['delete', 'pod', 'busy', '--wait=false']);
    await untilEvent('busy', 'FailedUnMount UnmountVolume.TearDown failed for volume "v" : umount failed');
    expect(existsSync(folder)).toBe(true);
    holder.kill('SIGKILL');
    await until('its end', async () => (existsSync(folder) ? { last: readdirSync(folder).join() } : { value: true }));
    await mendlet.kubectl(['wait', '--for=delete', 'pod/busy']);
  });

  it('of a gone pod are found by the next agent, and nothing behind a mount is removed', async () => {
    const running = mainContainer(await mendlet.pod('shapes'))?.containerID;
    await mendlet.end('SIGKILL');
    const orphan = join(pods, '11111111-2222-3333-4444-555555555555');
    const [secret, inner] = [
      join(orphan, 'volumes/kubernetes.io~secret/s'),
      join(orphan, 'volumes/kubernetes.io~empty-dir/e/in'),
    ];
    const kept = join(out.path, 'kept');
    for (const folder of [secret, inner, kept]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(kept, 'file'), 'kept');
    expect(spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', secret]).status).toBe(0);
    expect(spawnSync('mount', ['--bind', kept, inner]).status).toBe(0);
    await mendlet.up();
    await until('the orphan’s end', async () =>
      existsSync(orphan) ? { last: mountsUnder(orphan).join() } : { value: true },
    );
    expect(readFileSync(join(kept, 'file'), 'utf8')).toBe('kept');
    expect(mainContainer(await mendlet.pod('shapes'))).toMatchObject({ containerID: running, restartCount: 0 });
    await mendlet.kubectl(['patch', 'configmap', 'cm', '--type=merge', '-p', '{"data":{"a":"3"}}']);
    await untilLive('the newest ConfigMap', '3 3 app="y" 1 /cm/a /cm/c /opt/*');
  });

  it('go with their pod, but for what is the host’s', async () => {
    await mendlet.kubectl(['delete', 'pod', '--all', '--wait=true']);
    expect(readdirSync(pods)).toEqual([]);
    expect(mountsUnder(pods)).toEqual([]);
    expect(readFileSync(join(out.path, 'made/file'), 'utf8')).toBe('first\n');
  });
});

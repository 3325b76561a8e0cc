import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endContainerd } from '../../src/cri/containerd/clean-up.node.ts';
import { openGrpcSocket } from '../../src/cri/containerd/grpc.node.ts';
import { CriRuntime } from '../../src/cri/containerd/cri-runtime.node.ts';
import { readProcess } from '../../src/cri/containerd/proc.node.ts';
import type { OpenedContainerd } from '../../src/cri/containerd/open-containerd.node.ts';
import type { ContainerConfig, ContainerStatus, RuntimeEvent, SandboxConfig } from '../../src/cri/index.ts';
import { testRegistry } from './registry.ts';
import { BUSYBOX, containerConfig, isRoot, sandboxConfig, testRuntime, type TestRuntime } from './harness.ts';

const LIMIT = 64 << 20;
const isAlive = (pid: number) => readProcess(pid) !== undefined;

describe.skipIf(!isRoot).each(['1.6', '2.1'] as const)('a private containerd %s', (version) => {
  let test: TestRuntime;
  let opened: OpenedContainerd;
  let sandbox: SandboxConfig;
  let sandboxId: string;
  let attempt = 0;
  const events: RuntimeEvent[] = [];
  const listening = new AbortController();

  const run = async (command: string, overrides: Partial<ContainerConfig> = {}): Promise<string> => {
    attempt += 1;
    const config = containerConfig(command, { attempt, logPath: `main/${attempt}.log`, ...overrides });
    const id = await opened.runtime.createContainer(sandboxId, config, sandbox);
    await opened.runtime.startContainer(id);
    return id;
  };
  const until = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> => {
    for (let tries = 0; tries < 1000; tries++) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(10);
    }
    throw new Error(`never: ${what}`);
  };
  const ended = (id: string): Promise<ContainerStatus> =>
    until(`${id} ended`, async () => {
      const status = await opened.runtime.containerStatus(id);
      return status?.state === 'exited' ? status : undefined;
    });
  const logOf = (status: ContainerStatus) => readFileSync(status.logPath, 'utf8');
  const ready = (id: string) =>
    until('ready', async () => {
      const status = await opened.runtime.containerStatus(id);
      return status !== undefined && logOf(status).includes('ready') ? true : undefined;
    });

  /** Exports an image. ctr 2 may exit before the archive is complete. */
  const exportImage = (tar: string, image: string): Promise<true> =>
    until(`the whole archive of ${image}`, () => {
      execFileSync(opened.install.ctr, ['-a', opened.socket, '-n', 'k8s.io', 'images', 'export', tar, image]);
      return spawnSync('tar', ['-tf', tar], { stdio: 'ignore' }).status === 0 ? true : undefined;
    });

  beforeAll(async () => {
    test = await testRuntime(version);
    opened = await test.open();
    await opened.importer.ensureBusybox(BUSYBOX);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const listen = async (): Promise<void> => {
      for await (const event of opened.runtime.events(listening.signal, resolve)) events.push(event);
    };
    listen().catch(reject);
    await promise;
    sandbox = sandboxConfig(test.options.dataDir);
    mkdirSync(join(sandbox.logDirectory, 'main'), { recursive: true });
    sandboxId = await opened.runtime.runSandbox(sandbox);
  });

  afterAll(async () => {
    listening.abort();
    await test.remove();
  });

  it('is ready and says what it is', async () => {
    expect((await opened.runtime.version()).runtimeVersion).toMatch(new RegExp(`^${version.replace('.', '\\.')}`));
    expect(await opened.runtime.status()).toMatchObject({ runtimeReady: true, networkReady: true });
  });

  it('runs a container: environment, log, exit code, labels', async () => {
    const status = await ended(await run('echo $GREETING; exit 3'));
    expect(status).toMatchObject({
      sandboxId,
      attempt,
      exitCode: 3,
      reason: 'Error',
      annotations: { 'mendlet.dev/note': 'kept' },
    });
    expect(logOf(status)).toMatch(/^\S+ stdout F hello\n$/);
    // The two times have no order: containerd records the start when it is notified, the shim the end when it happens.
    expect(Math.min(status.startedAt, status.finishedAt)).toBeGreaterThan(0);
  });

  it('announces created, started, stopped, deleted; and the stop before the status shows it or soon after', async () => {
    const id = await run('exit 0');
    await until('stopped', () => events.find((event) => event.kind === 'stopped' && event.id === id));
    await ended(id);
    await opened.runtime.removeContainer(id);
    await until('deleted', () => events.find((event) => event.kind === 'deleted' && event.id === id));
    expect(events.filter((event) => event.id === id).map(({ kind }) => kind)).toEqual([
      'created',
      'started',
      'stopped',
      'deleted',
    ]);
  });

  it('does not take the end of an exec for the end of a container', async () => {
    const id = await run('exec sleep 1000');
    expect(await opened.runtime.execSync(id, ['sh', '-c', 'echo out; echo err >&2; exit 7'], 5000)).toEqual({
      exitCode: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    const long = await opened.runtime.execSync(id, ['sh', '-c', 'yes | head -c 100000'], 5000);
    expect(long.stdout.length).toBe(16_384);
    await expect(opened.runtime.execSync(id, ['sleep', '60'], 1000)).rejects.toMatchObject({
      code: 'DeadlineExceeded',
    });
    await sleep(200);
    expect(events.filter((event) => event.kind === 'stopped' && event.id === id)).toEqual([]);
    await opened.runtime.stopContainer(id, 0);
  });

  it('calls a container that outgrew its memory OOMKilled, with exit code 137', async () => {
    const resources = { cpuPeriod: 100_000, cpuQuota: 0, cpuShares: 2, memoryLimitBytes: LIMIT, oomScoreAdj: 1000 };
    const id = await run('exec tail /dev/zero', { resources });
    expect(await ended(id)).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
    await until('the oom event', () => events.find((event) => event.kind === 'oom' && event.id === id));
  });

  it('lets a shorter grace overtake a longer one', async () => {
    const id = await run('trap "" TERM; echo ready; while :; do sleep 0.1; done');
    await ready(id);
    const began = performance.now();
    const long = opened.runtime.stopContainer(id, 120);
    await sleep(300);
    await opened.runtime.stopContainer(id, 1);
    expect((await ended(id)).exitCode).toBe(137);
    await long;
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  it('sends SIGTERM first', async () => {
    const id = await run('trap "exit 42" TERM; echo ready; while :; do sleep 0.1; done');
    await ready(id);
    await opened.runtime.stopContainer(id, 30);
    expect((await ended(id)).exitCode).toBe(42);
  });

  it('refuses a second container of the same name and attempt, and knows what is gone', async () => {
    const config = containerConfig('true', { attempt });
    await expect(opened.runtime.createContainer(sandboxId, config, sandbox)).rejects.toMatchObject({
      code: 'AlreadyExists',
    });
    expect(await opened.runtime.containerStatus('nothing')).toBeUndefined();
    expect(await opened.runtime.sandboxStatus('nothing')).toBeUndefined();
    await opened.runtime.stopContainer('nothing', 1);
    await opened.runtime.stopSandbox('nothing');
    await opened.runtime.removeContainer('nothing');
    await expect(opened.runtime.startContainer('nothing')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('removes a container whose start was broken off, at whatever moment', async () => {
    const broken = Array.from({ length: 40 }, async (_, index) => {
      attempt += 1;
      const config = containerConfig('exec sleep 3600', { attempt, logPath: `main/${attempt}.log` });
      const id = await opened.runtime.createContainer(sandboxId, config, sandbox);
      const signal = AbortSignal.timeout(index * 20);
      await opened.runtime.startContainer(id, { signal }).catch(() => {});
      return id;
    });
    for (const id of await Promise.all(broken)) {
      await until(`${id} settled`, async () => {
        await opened.runtime.stopContainer(id, 0);
        return await opened.runtime.removeContainer(id).then(
          () => true,
          (error: unknown) => (String(error).includes('is in starting state') ? undefined : Promise.reject(error)),
        );
      });
      expect(await opened.runtime.containerStatus(id)).toBeUndefined();
    }
  });

  it('gives a pod an address from which it reaches the host and other pods', async () => {
    const found = await opened.runtime.sandboxStatus(sandboxId);
    const server = createServer((socket) => socket.end('from the host\n'));
    await new Promise<void>((resolve) => server.listen(0, test.network.gateway, resolve));
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const host = await ended(await run(`nc ${test.network.gateway} ${address.port}`));
    server.close();
    expect(logOf(host)).toContain('from the host');
    const serving = await run('exec httpd -f -p 80 -h /etc');
    const other = sandboxConfig(test.options.dataDir);
    mkdirSync(join(other.logDirectory, 'main'), { recursive: true });
    const otherId = await opened.runtime.runSandbox(other);
    const client = await opened.runtime.createContainer(
      otherId,
      containerConfig(`wget -qO- http://${found?.ips[0]}/passwd`),
      other,
    );
    await opened.runtime.startContainer(client);
    expect(logOf(await ended(client))).toContain('root:x:0:0');
    await opened.runtime.stopSandbox(otherId);
    expect((await opened.runtime.sandboxStatus(otherId))?.state).toBe('notready');
    await opened.runtime.removeSandbox(otherId);
    await opened.runtime.stopContainer(serving, 0);
  });

  it('forwards a host port', async () => {
    const hostPort = 20_000 + (process.pid % 20_000);
    const other = sandboxConfig(test.options.dataDir, {
      portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort, hostIp: '' }],
    });
    mkdirSync(join(other.logDirectory, 'main'), { recursive: true });
    const id = await opened.runtime.runSandbox(other);
    const serving = await opened.runtime.createContainer(id, containerConfig('exec httpd -f -p 80 -h /etc'), other);
    await opened.runtime.startContainer(serving);
    const answer = await until('an answer', () =>
      fetch(`http://127.0.0.1:${hostPort}/group`).then(
        (response) => response.text(),
        () => undefined,
      ),
    );
    expect(answer).toContain('root:x:0:');
    await opened.runtime.stopSandbox(id);
    await opened.runtime.removeSandbox(id);
  });

  it('holds a shared process namespace with an init that reaps', async () => {
    const other = sandboxConfig(test.options.dataDir, { namespaces: { network: 'pod', pid: 'pod', ipc: 'pod' } });
    mkdirSync(join(other.logDirectory, 'main'), { recursive: true });
    const id = await opened.runtime.runSandbox(other);
    const security = { ...containerConfig('').security, pid: 'pod' } as const;
    const orphan = '(sleep 0.1 &) ; sleep 2; ps -o stat | grep -c ^Z; cat /proc/1/comm';
    const one = await opened.runtime.createContainer(id, containerConfig(orphan, { security }), other);
    await opened.runtime.startContainer(one);
    const log = logOf(await ended(one));
    expect(log).toMatch(/ F 0\n.* F pause\n/);
    await opened.runtime.stopSandbox(id);
    await opened.runtime.removeSandbox(id);
  });

  it('imports an archive once, and names one that is broken', async () => {
    const broken = join(test.options.dataDir, 'broken.tar');
    writeFileSync(broken, 'this is no archive');
    await expect(opened.importer.importArchives([broken])).rejects.toThrow(`image archive ${broken}: `);
    await expect(opened.importer.importArchives([`${broken}.gone`])).rejects.toThrow('no such file');
    const folder = join(test.options.dataDir, 'archives');
    mkdirSync(folder);
    const tar = join(folder, 'copy.tar');
    execFileSync(opened.install.ctr, [
      '-a',
      opened.socket,
      '-n',
      'k8s.io',
      'images',
      'tag',
      BUSYBOX,
      'example.org/copy:1',
    ]);
    await exportImage(tar, 'example.org/copy:1');
    execFileSync(opened.install.ctr, ['-a', opened.socket, '-n', 'k8s.io', 'images', 'rm', 'example.org/copy:1']);
    expect(await opened.importer.importArchives([folder])).toEqual(['example.org/copy:1']);
    expect(await opened.images.status('example.org/copy:1')).toBeDefined();
    expect(await opened.importer.importArchives([folder])).toEqual([]);
  });

  it('loses nothing when containerd is killed: started again, containers untouched, calls fail as Unavailable meanwhile', async () => {
    const id = await run('echo ready; sleep 3; echo after; sleep 1000');
    await ready(id);
    const before = await opened.runtime.containerStatus(id);
    const pid = opened.containerdPid();
    expect(pid).toBeDefined();
    process.kill(pid ?? 0, 'SIGKILL');
    const codes = new Set<unknown>();
    const after = await until('an answer', () =>
      opened.runtime.containerStatus(id).catch((error: { code?: unknown }) => {
        codes.add(error.code);
        return undefined;
      }),
    );
    expect([...codes].filter((code) => code !== 'Unavailable')).toEqual([]);
    expect(after).toMatchObject({ state: 'running', startedAt: before?.startedAt });
    await until('a new pid', () => (opened.containerdPid() === pid ? undefined : true));
    await until('the later output', () => (logOf(after).includes('after') ? true : undefined));
    await opened.runtime.stopContainer(id, 0);
  });

  it('outlives mendlet and is adopted', async () => {
    const id = await run('exec sleep 1000');
    const pid = opened.containerdPid();
    await opened.close();
    const again = await test.open();
    expect(again.how).toBe('adopted');
    expect(again.containerdPid()).toBe(pid);
    opened = again;
    expect((await opened.runtime.containerStatus(id))?.state).toBe('running');
    process.kill(pid ?? 0, 'SIGKILL');
    await until('a new pid', () => (opened.containerdPid() === pid ? undefined : true));
    expect((await until('an answer', () => opened.runtime.containerStatus(id).catch(() => undefined)))?.state).toBe(
      'running',
    );
  });

  it('is replaced when its configuration changed, containers untouched', async () => {
    const id = await run('exec sleep 1000');
    const pid = opened.containerdPid();
    await opened.close();
    opened = await test.open({ cgroupDriver: 'systemd' });
    expect(opened.how).toBe('started');
    expect(opened.containerdPid()).not.toBe(pid);
    expect((await opened.runtime.containerStatus(id))?.state).toBe('running');
  });

  it('starts after a reboot: containers and addresses are gone, and can be removed', async () => {
    const id = await run('exec sleep 1000');
    await opened.close();
    await endContainerd(opened.paths, test.options.process, test.options.logger);
    rmSync(test.options.runDir, { recursive: true });
    execFileSync('ip', ['link', 'delete', 'dev', test.network.bridge]);
    opened = await test.open();
    expect((await opened.runtime.sandboxStatus(sandboxId))?.state).toBe('notready');
    expect((await opened.runtime.containerStatus(id))?.state).not.toBe('running');
    await opened.runtime.stopContainer(id, 0);
    await opened.runtime.removeContainer(id);
    await opened.runtime.stopSandbox(sandboxId);
    await opened.runtime.removeSandbox(sandboxId);
    sandbox = sandboxConfig(test.options.dataDir);
    mkdirSync(join(sandbox.logDirectory, 'main'), { recursive: true });
    sandboxId = await opened.runtime.runSandbox(sandbox);
    expect((await ended(await run('exit 5'))).exitCode).toBe(5);
  });

  it.skipIf(!existsSync('/usr/bin/docker-registry'))(
    'pulls from a registry, with the credentials that it wants',
    async () => {
      const registry = await testRegistry(test.options.dataDir);
      try {
        const name = `${registry.host}/library/box:1`;
        const tar = join(test.options.dataDir, 'box.tar');
        await exportImage(tar, BUSYBOX);
        const credentials = `${registry.username}:${registry.password}`;
        execFileSync(
          'skopeo',
          ['copy', '--dest-tls-verify=false', `--dest-creds=${credentials}`, `oci-archive:${tar}`, `docker://${name}`],
          { stdio: 'pipe' },
        );
        await expect(opened.images.pull(name, undefined)).rejects.toThrow(/401|authorization|unauthorized/i);
        const id = await opened.images.pull(name, { username: registry.username, password: registry.password });
        expect((await opened.images.status(name))?.id).toBe(id);
        await expect(opened.images.pull(`${registry.host}/nothing:1`, registry)).rejects.toMatchObject({
          code: 'NotFound',
        });
        await opened.images.remove(name);
        expect(await opened.images.status(name)).toBeUndefined();
      } finally {
        registry.end();
      }
    },
  );

  it('is not started while another one uses its folder', async () => {
    await opened.close();
    const pid = opened.containerdPid() ?? 0;
    process.kill(pid, 'SIGKILL');
    await until('its end', () => (isAlive(pid) ? undefined : true));
    const database = join(test.options.dataDir, 'containerd/root/io.containerd.metadata.v1.bolt/meta.db');
    const other = spawn('flock', ['-x', '--no-fork', database, 'sleep', '1000'], { stdio: 'ignore' });
    await until('the lock', () => (readFileSync('/proc/locks', 'utf8').includes(` ${other.pid} `) ? true : undefined));
    await expect(test.open()).rejects.toThrow(`another containerd (pid ${other.pid}) uses ${test.options.dataDir}`);
    other.kill('SIGKILL');
    await until('its end', () => (isAlive(other.pid ?? 0) ? undefined : true));
    opened = await test.open();
  });

  it('leaves nothing behind when it is removed', async () => {
    const { bridge } = test.network;
    await test.remove();
    const printed = (file: string, ...args: string[]) => execFileSync(file, args, { encoding: 'utf8' });
    expect(printed('ip', '-br', 'link')).not.toContain(bridge);
    expect(printed('iptables-save')).not.toContain(bridge);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(test.options.runDir);
    expect(printed('ps', 'axo', 'args')).not.toContain(test.options.runDir);
    expect(existsSync(test.options.runDir)).toBe(false);
  });
});

describe('a socket where nobody listens', () => {
  it('is Unavailable', async () => {
    const grpc = openGrpcSocket('/run/mendlet-nobody.sock');
    const runtime = new CriRuntime(grpc);
    await expect(runtime.version()).rejects.toMatchObject({ name: 'RuntimeError', code: 'Unavailable' });
    const events = runtime.events(new AbortController().signal, () => {});
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Unavailable' });
    grpc.close();
  });
});

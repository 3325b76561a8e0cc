/**
 * Tests exec, attach, port-forward, cp and edit of the unmodified kubectl: 1.36, which uses WebSocket, and 1.20, which uses SPDY;
 * and the WebSocket subprotocols of other clients.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { inShort, itInWhole, onRuntimes } from './extent.ts';
import { busyboxPod, type CommandResult, containerd2, kubectl120, kubectl136, Mendlet, run, until } from './harness.ts';

const BIG_BYTES = inShort(16, 100) * 1024 * 1024;
/** Number of concurrent commands. */
const CROWD = inShort(30, 100);
const runtimes = [
  { name: 'containerd 1.6', podNetwork: 163 },
  { name: 'containerd 2', podNetwork: 164, containerdFolder: containerd2 },
];

describe.each(onRuntimes(runtimes, 'containerd 2'))('streams on $name', (options) => {
  const mendlet = new Mendlet(options);
  let big = '';
  let bigHash = '';

  beforeAll(async () => {
    await mendlet.up();
    const serve = 'echo hello > /tmp/index.html; httpd -p 8080 -h /tmp; httpd -p 8081 -h /tmp';
    await mendlet.create(
      busyboxPod('web', `${serve}; echo line 1; echo line 2; exec sleep 36000`),
      busyboxPod('reader', 'echo before; while read l; do echo "got $l"; done; echo ended; exec sleep 36000', {
        container: { stdin: true },
      }),
      busyboxPod('confined', 'exec sleep 36000', {
        container: {
          workingDir: '/tmp',
          env: [{ name: 'A', value: 'b c' }],
          securityContext: {
            runAsUser: 1234,
            runAsGroup: 99,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      }),
      busyboxPod('terminal', 'exec sh', { container: { command: ['/bin/sh'], stdin: true, tty: true } }),
    );
    await mendlet.kubectl(['wait', '--for=condition=Ready', 'pod', '--all', '--timeout=120s']);
    big = join(mendlet.folder, 'big');
    const content = randomBytes(BIG_BYTES);
    writeFileSync(big, content);
    bigHash = createHash('sha256').update(content).digest('hex');
  });
  afterAll(() => mendlet.down());

  /** The number of file descriptors of `mendlet up`. */
  const openFiles = (): number => readdirSync(`/proc/${mendlet.pid}/fd`).length;

  function environment(binary: string): NodeJS.ProcessEnv {
    return {
      ...process.env,
      K: `${binary} --cache-dir ${join(mendlet.folder, 'kubectl-cache')}`,
      KUBECONFIG: mendlet.kubeconfig,
    };
  }

  const shell = (binary: string, script: string, input?: string): Promise<CommandResult> =>
    run('sh', ['-c', script], { env: environment(binary), input });

  /** Runs the command in a terminal of 33 by 77, which `script` (util-linux) provides. */
  const inTerminal = (binary: string, command: string): Promise<CommandResult> =>
    shell(binary, `script -qec "stty rows 33 cols 77; ${command}" /dev/null < /dev/null`);

  describe.each([
    ['1.36', kubectl136],
    ['1.20', kubectl120],
  ])('kubectl %s', (version, binary) => {
    const sh = (script: string, input?: string): Promise<CommandResult> => shell(binary, script, input);
    // The old one is there for SPDY, which exec and port-forward show.
    const itOfNewest = version === '1.36' ? it : itInWhole;

    it('exec: input to its end, output, exit codes', async () => {
      const there = await sh(`$K exec -i web -- cat < ${big} | sha256sum`);
      expect(there.stdout).toContain(bigHash);
      // Over SPDY containerd closes the input of a command that closes its output, so the shell stays and keeps the output open.
      const stay = version === '1.36' ? '' : '; true';
      await sh(`$K exec -i web -- sh -c 'cat > /tmp/big${stay}' < ${big}`);
      expect((await sh('$K exec web -- sha256sum /tmp/big')).stdout).toContain(bigHash);
      const both = await sh(`$K exec -i web -- sh -c 'cat; sleep 0.3; echo after; echo err >&2; exit 3'`, 'in ');
      expect(both).toMatchObject({ stdout: 'in after\n', stderr: expect.stringContaining('err\n') });
      expect(both.code).toBe(3);
      expect((await sh('$K exec web -- yes | head -1')).stdout).toBe('y\n');
    });

    it('exec -it: the terminal and its size', async () => {
      const { stdout } = await inTerminal(binary, `$K exec -it web -- sh -c 'sleep 0.5; stty size; tty'`);
      expect(stdout).toMatch(/33 77\r\n\/dev\/pts\/\d+\r\n/);
    });

    itOfNewest('errors in upstream’s words', async () => {
      expect((await sh('$K exec nope -- true')).stderr).toBe('Error from server (NotFound): pods "nope" not found\n');
      expect((await sh('$K exec web -c nope -- true')).stderr).toContain('container nope is not valid for pod web');
      const missing = await sh('$K exec web -- /nope');
      expect(missing.stderr).toMatch(/executable file not found|no such file or directory/);
      expect(missing.code).not.toBe(0);
    });

    itOfNewest('attach: input and output, and nothing of before', async () => {
      const word = `word-${version}`;
      const { stdout } = await sh(`(sleep 1; echo ${word}; sleep 1) | timeout 30 $K attach -i reader | head -1`);
      expect(stdout).toBe(`got ${word}\n`);
      const shown = await sh(
        `(for i in 1 2 3 4 5 6 7 8; do sleep 1; echo 'echo $((40+2)); stty size'; done) | timeout 40 script -qec "stty rows 33 cols 77; timeout --foreground 9 $K attach -it terminal" /dev/null`,
      );
      expect(shown.stdout).toMatch(/42\r\n/);
    });

    itOfNewest('run -it --rm', async () => {
      const name = `once-${version.replace('.', '-')}`;
      const image = '--image=docker.io/library/busybox:latest --image-pull-policy=IfNotPresent --restart=Never';
      const { stdout } = await sh(
        `echo 'hello there' | $K run -i --rm ${name} ${image} -- sh -c 'read a b; echo "$b"'`,
      );
      expect(stdout).toContain('there\n');
      expect((await sh(`$K get pod ${name}`)).stderr).toContain('not found');
    });

    itOfNewest('cp: a folder, both ways', async () => {
      const from = join(mendlet.folder, `cp-${version}`);
      for (let i = 0; i < 50; i += 1) {
        mkdirSync(join(from, `d${i}`), { recursive: true });
        for (let j = 0; j < 20; j += 1) writeFileSync(join(from, `d${i}`, `f${j}`), `${i} ${j}\n`.repeat(100));
      }
      await sh(`$K cp ${from} web:/tmp/cp-${version}`);
      await sh(
        `$K cp web:/tmp/cp-${version} ${from}-back; $K cp ${big} web:/tmp/file; $K cp web:/tmp/file ${from}-file`,
      );
      expect((await run('diff', ['-r', from, `${from}-back`])).code).toBe(0);
      expect(
        createHash('sha256')
          .update(readFileSync(`${from}-file`))
          .digest('hex'),
      ).toBe(bigHash);
    });

    it('port-forward: several ports, many connections, a port where nobody listens', async () => {
      const forward = spawn('sh', ['-c', 'exec $K port-forward pod/web :8080 :8081 :9'], { env: environment(binary) });
      try {
        const said = listenTo(forward);
        const ports = await until<ReadonlyMap<string | undefined, number>>('the ports', async () => {
          const found = [...said().matchAll(/127\.0\.0\.1:(\d+) -> (\d+)/g)];
          return found.length === 3
            ? { value: new Map(found.map(([, local, port]) => [port, Number(local)])) }
            : { last: said() };
        });
        const answers = await Promise.all(
          Array.from({ length: 60 }, (_, i) => fetched(ports.get(i % 2 === 0 ? '8080' : '8081'))),
        );
        expect(new Set(answers)).toEqual(new Set(['hello\n']));
        expect(await fetched(ports.get('9'))).toMatch(/hang up|ECONNRESET|Empty/);
        await until('the refusal', async () =>
          /error forwarding port 9 to pod .*refused/.test(said()) ? { value: true } : { last: said() },
        );
      } finally {
        forward.kill('SIGKILL');
      }
    });

    itOfNewest('edit', async () => {
      const pod = version === '1.36' ? 'web' : 'reader';
      const { stdout } = await sh(
        `KUBE_EDITOR='sed -i s/^metadata:/"metadata:\\n  labels: {edited: v${version}}"/' $K edit pod ${pod}`,
      );
      expect(stdout).toContain(`pod/${pod} edited`);
      expect((await sh(`$K get pod ${pod} -o jsonpath={.metadata.labels.edited}`)).stdout).toBe(`v${version}`);
    });
  });

  it('exec: a command that leaves most of its input unread ends with its status', async () => {
    const before = openFiles();
    for (let i = 0; i < inShort(5, 20); i += 1) {
      const { stdout, code } = await shell(
        kubectl136,
        `$K exec -i web -- sh -c 'head -c 1000; exit 3' < ${big} | wc -c; true`,
      );
      expect([Number(stdout), code], `time ${i}`).toEqual([1000, 0]);
      expect((await shell(kubectl136, `$K exec -i web -- sh -c 'head -c 9 > /dev/null; exit 3' < ${big}`)).code).toBe(
        3,
      );
    }
    await until('all is closed', async () =>
      openFiles() <= before + 2 ? { value: true } : { last: `${openFiles() - before} more open files than before` },
    );
  });

  it('exec: outputs and input end each on its own', async () => {
    const closed = `$K exec -i web -- sh -c 'exec >&- 2>&-; cat > /tmp/silent' < ${big}; $K exec web -- sha256sum /tmp/silent`;
    expect((await shell(kubectl136, closed)).stdout).toContain(bigHash);
    const deaf = await shell(kubectl136, `$K exec -i web -- sh -c 'exec <&-; sleep 1; echo done' < ${big}`);
    expect(deaf).toMatchObject({ stdout: 'done\n', code: 0 });
    const behind = await shell(kubectl136, `$K exec web -- sh -c '(sleep 2; echo late) & echo now'`);
    expect(behind).toMatchObject({ stdout: 'now\nlate\n', code: 0 });
    const slow = await shell(kubectl136, `$K exec web -- cat /tmp/silent | (sleep 2; sha256sum)`);
    expect(slow.stdout).toContain(bigHash);
  });

  it('exec: a command is the same, whoever makes it', async () => {
    // kubectl 1.20 uses the way through CRI.
    const about = [
      'id; env | sort; pwd; umask; cat /proc/self/cgroup /proc/self/limits /proc/self/oom_score_adj',
      'readlink /proc/self/ns/*; grep -E "^(Cap|Seccomp|NoNew|Uid|Gid|Groups|Sig[PBIC])" /proc/self/status; ls /proc/self/fd',
    ].join('; ');
    for (const pod of ['web', 'confined']) {
      const [own, cri] = await Promise.all(
        [kubectl136, kubectl120].map((binary) => shell(binary, `$K exec ${pod} -- sh -c '${about}'`)),
      );
      expect(own?.stdout).toContain('Seccomp');
      expect(own).toEqual(cri);
    }
    const [own, cri] = await Promise.all(
      [kubectl136, kubectl120].map((binary) => inTerminal(binary, `$K exec -it web -- sh -c 'sleep 0.5; env | sort'`)),
    );
    expect(own?.stdout).toContain('TERM=xterm');
    const lines = (result: CommandResult | undefined): unknown => result?.stdout.match(/^\w+=.*$/gm);
    expect(lines(own)).toEqual(lines(cri));
    const failures = await Promise.all([kubectl136, kubectl120].map((binary) => shell(binary, '$K exec web -- /nope')));
    const [ownFailure, criFailure] = failures.map(({ stderr, code }) => [stderr.replace(/"[0-9a-f]{64}"/, 'ID'), code]);
    expect(ownFailure).toEqual(criFailure);
  });

  it('exec: a command outlives its containerd', async () => {
    const command = shell(kubectl136, `$K exec web -- sh -c 'sleep 6; echo survived; exit 4'`);
    await sleep(2000);
    process.kill(mendlet.containerdPid(), 'SIGKILL');
    expect(await command).toMatchObject({ stdout: 'survived\n', code: 4 });
    await until('containerd is back', async () => {
      const { stdout, stderr } = await shell(kubectl120, '$K exec web -- echo back');
      return stdout === 'back\n' ? { value: true } : { last: stderr };
    });
  });

  it(`${CROWD} at once, and clients that vanish: nothing stays open`, async () => {
    const before = openFiles();
    const binaries = [kubectl136, kubectl120];
    const all = Array.from({ length: CROWD }, async (_, i) => {
      const { stdout } = await shell(binaries[i % 2] as string, `$K exec web -- echo ${i}`);
      return stdout;
    });
    expect(await Promise.all(all)).toEqual(Array.from({ length: CROWD }, (_, i) => `${i}\n`));
    const commands = [
      'exec web -- sleep 300',
      'exec -i web -- cat',
      'exec -i web -- sleep 301',
      'port-forward web :8080',
    ];
    const lost = binaries.flatMap((binary) =>
      commands.map((command) =>
        spawn('sh', ['-c', `exec $K ${command} < /dev/zero > /dev/null 2>&1`], { env: environment(binary) }),
      ),
    );
    await until('the streams are open', async () =>
      openFiles() >= before + 2 * lost.length ? { value: true } : { last: String(openFiles() - before) },
    );
    await sleep(1000);
    for (const child of lost) child.kill('SIGKILL');
    await until('all is closed', async () =>
      openFiles() <= before + 2 ? { value: true } : { last: `${openFiles() - before} more open files than before` },
    );
  });

  describe('WebSocket clients', () => {
    const exec = (command: string, more = ''): string =>
      `/exec?stdout=true&stderr=true${more}${command
        .split(' ')
        .map((word) => `&command=${encodeURIComponent(word)}`)
        .join('')}`;

    it.each<[string[], string]>([
      [['channel.k8s.io'], '1:(hello\n)'],
      [[], '1:(hello\n)'],
      [['base64.channel.k8s.io'], '1:(hello\n)'],
      [['v4.channel.k8s.io'], '1:(hello\n)3:({"metadata":{},"status":"Success"})'],
      [['v4.base64.channel.k8s.io'], '1:(hello\n)3:({"metadata":{},"status":"Success"})'],
      [['nobody', 'v5.channel.k8s.io', 'v4.channel.k8s.io'], '1:(hello\n)3:({"metadata":{},"status":"Success"})'],
    ])('exec by %j', async (protocols, expected) => {
      const { text, code } = await talk(exec('cat /tmp/index.html'), protocols);
      expect([text, code]).toEqual([expected, 1000]);
    });

    it('v5 closes its input alone, and gets the exit code', async () => {
      const { text } = await talk(exec('sh', '&stdin=true'), ['v5.channel.k8s.io'], (socket) => {
        socket.send(Buffer.from('\0cat; exit 4\n'));
        socket.send(Buffer.from([255, 0]));
      });
      expect(text).toMatch(/^3:\(.*"reason":"NonZeroExitCode".*"message":"4"/);
    });

    it('port-forward by channels', async () => {
      const { text, code } = await talk('/portforward?ports=8080', ['v4.channel.k8s.io'], (socket) =>
        socket.send(Buffer.from('\0GET /index.html HTTP/1.0\r\n\r\n')),
      );
      expect(text.startsWith('0:(\x90\x1f')).toBe(true);
      expect(text).toMatch(/HTTP\/1\.[01] 200 OK[\s\S]*hello\n/);
      expect(text).toContain('1:(\x90\x1f');
      expect(code).toBe(1000);
      const refused = await talk('/portforward?ports=9', ['v4.channel.k8s.io']);
      expect(refused.text).toMatch(/1:\(.*error forwarding port 9 to pod .*refused/s);
    });

    it.each([['binary.k8s.io'], ['base64.binary.k8s.io'], [undefined]])('logs by %s', async (protocol) => {
      const { raw, code } = await talk('/log', protocol === undefined ? [] : [protocol]);
      const text = raw.map((each) =>
        (protocol?.startsWith('base64') ? Buffer.from(each.toString(), 'base64') : each).toString(),
      );
      expect([text.join(''), code]).toEqual(['line 1\nline 2\n', 1000]);
    });

    it('is refused before it is upgraded', async () => {
      await expect(talk(exec('true', '&container=nope'), ['v5.channel.k8s.io'])).rejects.toThrow('400');
      await expect(talk(exec('true'), ['v9.channel.k8s.io'])).rejects.toThrow('403');
    });

    it('that breaks the protocol is closed, and nothing else with it', async () => {
      const broken = await talk(exec('cat', '&stdin=true'), ['v5.channel.k8s.io'], (socket) =>
        socket.send(Buffer.from([255, 0, 0])),
      );
      expect(broken.code).toBe(1002);
      expect((await shell(kubectl136, '$K exec web -- echo well')).stdout).toBe('well\n');
    });

    /** All output of the server on `path` of the pod "web", by channel: "1:(out)3:(status)". */
    async function talk(
      path: string,
      protocols: string[],
      onOpen: (socket: WebSocket) => void = () => {},
    ): Promise<{ text: string; raw: Buffer[]; code: number }> {
      const config = JSON.parse(await mendlet.kubectl(['config', 'view', '--raw', '-o', 'json']));
      const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster;
      const { 'client-certificate-data': cert, 'client-key-data': key } = config.users[0].user;
      const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');
      const socket = new WebSocket(
        `${server.replace('https', 'wss')}/api/v1/namespaces/default/pods/web${path}`,
        protocols,
        {
          ca: bytes(ca),
          cert: bytes(cert),
          key: bytes(key),
        },
      );
      const raw: Buffer[] = [];
      socket.on('message', (data) => raw.push(data as Buffer));
      socket.on('open', () => onOpen(socket));
      const code = await new Promise<number>((done, fail) => {
        socket.on('close', done);
        socket.on('error', fail);
      });
      const said = new Map<number, string>();
      for (const message of raw.filter((each) => each.length > 0)) {
        const isBase64 = protocols.some((each) => each.includes('base64'));
        const channel = (message[0] as number) - (isBase64 ? 48 : 0);
        const body = isBase64 ? bytes(message.subarray(1).toString()) : message.subarray(1);
        said.set(channel, (said.get(channel) ?? '') + body.toString('latin1'));
      }
      const text = [...said].flatMap(([channel, body]) => (body === '' ? [] : [`${channel}:(${body})`])).join('');
      return { text, raw, code };
    }
  });
});

function listenTo(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  return () => said;
}

/** The page of a local port, or the error. */
function fetched(port: number | undefined): Promise<string> {
  return new Promise((done) => {
    const request = get({ host: '127.0.0.1', port, path: '/index.html', agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => done(body));
    });
    request.on('error', (error) => done(error.message));
  });
}

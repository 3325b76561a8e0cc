/** Tests what is said of limits of processes, files, watches, space and heaps, with the words of real programs. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, crash, tellsEach } from './cases.fixtures.ts';

const withSpec = (container: object, exitCode: number, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container, status: crashed({ exitCode }) }),
  logs: lastWords(...lines),
});
const killedWith = (container: object): Partial<PodEvidence> => ({
  pod: pod({ container, status: crashed({ exitCode: 137, reason: 'OOMKilled' }) }),
});
const limited = (memory: string) => ({ resources: { limits: { memory } } });
const javaHeap = ['Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', '\tat H.main(H.java:3)'];

const limits: readonly Case[] = [
  [
    'bash: processes',
    crash(254, 'bash: fork: retry: Resource temporarily unavailable', 'bash: fork: Resource temporarily unavailable'),
    'too-many-processes',
    /cannot start one more process or thread/,
  ],
  [
    'python: processes',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3.11/subprocess.py", line 1883, in _execute_child',
      '    self.pid = _fork_exec(',
      'BlockingIOError: [Errno 11] Resource temporarily unavailable',
    ),
    'too-many-processes',
    /cannot start one more process/,
  ],
  [
    'node: processes',
    crash(1, 'Error: spawnSync /bin/sh EAGAIN'),
    'too-many-processes',
    /cannot start one more process/,
  ],
  [
    'a C program: threads',
    crash(11, 'pthread_create: Resource temporarily unavailable'),
    'too-many-processes',
    /cannot start one more process/,
  ],
  [
    'java: threads of the JVM itself',
    crash(
      1,
      '[0.054s][warning][os,thread] Failed to start thread "G1 Service" - pthread_create failed (EAGAIN) for attributes: stacksize: 1024k, guardsize: 4k, detached.',
      'Error occurred during initialization of VM',
      'Could not create G1ServiceThread',
      'Error: Could not create the Java Virtual Machine.',
      'Error: A fatal exception has occurred. Program will exit.',
    ),
    'too-many-processes',
    /cannot start one more process or thread/,
  ],
  [
    'node: watched files, which no full disk explains',
    crash(
      1,
      'node:internal/fs/watchers:255',
      '    throw error;',
      '    ^',
      '',
      "Error: ENOSPC: System limit for number of file watchers reached, watch '/app/src'",
      '    at FSWatcher.<computed> (node:internal/fs/watchers:247:19) {',
      '  errno: -28,',
      "  syscall: 'watch',",
      "  code: 'ENOSPC',",
      "  path: '/app/src'",
      '}',
      '',
      'Node.js v20.20.2',
    ),
    'too-many-watches',
    /fs\.inotify\.max_user_watches of node n1/,
  ],
  [
    'dotnet: inotify instances',
    crash(
      134,
      'Unhandled exception. System.IO.IOException: The configured user limit (128) on the number of inotify instances has been reached, or the per-process limit on the number of open file descriptors has been reached.',
      '   at System.IO.FileSystemWatcher.StartRaisingEvents()',
    ),
    'too-many-watches',
    /fs\.inotify\.max_user_instances/,
  ],
  [
    'go: a watcher',
    crash(1, 'fatal: failed to create fsnotify watcher: too many open files'),
    'too-many-watches',
    /max_user_instances/,
  ],
  [
    'node: open files',
    crash(1, "Error: EMFILE: too many open files, open '/etc/hosts'"),
    'too-many-files',
    /open as many files/,
  ],
  [
    'a full emptyDir: its size',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        spec: { volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }] },
        status: crashed({ exitCode: 1 }),
      }),
      logs: lastWords("dd: error writing '/data/big': No space left on device"),
    },
    'no-space',
    /cannot write \/data\/big: no space is left in volume data, of 1Mi$/,
  ],
  [
    'java: heap with its setting',
    withSpec({ ...limited('1Gi'), env: [{ name: 'JAVA_OPTS', value: '-Dkey=secret -Xmx512m' }] }, 1, ...javaHeap),
    'heap-exhausted',
    /its Java heap is full \(-Xmx512m of its variable JAVA_OPTS, with a memory limit of 1Gi\)/,
    [/env\[0\] \(JAVA_OPTS\): -Xmx512m/],
  ],
  [
    'java: heap by default',
    withSpec(limited('512Mi'), 1, ...javaHeap),
    'heap-exhausted',
    /its Java heap is full \(by default a quarter of its memory limit: 128Mi\)/,
  ],
  [
    'java: metaspace',
    withSpec(
      { command: ['java', '-XX:MaxMetaspaceSize=12m', '-jar', 'app.jar'] },
      1,
      'Exception in thread "main" java.lang.OutOfMemoryError: Metaspace',
      '\tat java.base/java.lang.ClassLoader.defineClass1(Native Method)',
    ),
    'heap-exhausted',
    /metaspace\) is full, and not its heap \(-XX:MaxMetaspaceSize=12m\)/,
  ],
  [
    'java: direct buffers',
    withSpec(
      { command: ['java', '-XX:MaxDirectMemorySize=8m', '-jar', 'app.jar'] },
      1,
      'Exception in thread "main" java.lang.OutOfMemoryError: Cannot reserve 1048576 bytes of direct buffer memory (allocated: 8388608, limit: 8388608)',
      '\tat java.base/java.nio.Bits.reserveMemory(Bits.java:178)',
    ),
    'heap-exhausted',
    /direct buffers is full, and not its heap \(-XX:MaxDirectMemorySize=8m\)/,
  ],
  [
    'java: threads are no heap',
    crash(
      1,
      'Exception in thread "main" java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process/resource limits reached',
      '\tat java.base/java.lang.Thread.start0(Native Method)',
    ),
    'too-many-processes',
    /process or thread/,
  ],
  [
    'node: heap with its setting',
    withSpec(
      { ...limited('256Mi'), env: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=128' }] },
      134,
      '<--- Last few GCs --->',
      '',
      '<--- JS stacktrace --->',
      '',
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      '----- Native stack trace -----',
      '',
      ' 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]',
    ),
    'heap-exhausted',
    /its JavaScript heap is full \(--max-old-space-size=128 of its variable NODE_OPTIONS, with a memory limit of 256Mi\)/,
  ],
  [
    'killed for memory: a heap that leaves nothing',
    killedWith({ ...limited('512Mi'), env: [{ name: 'JAVA_TOOL_OPTIONS', value: '-Xmx512m' }] }),
    'out-of-memory',
    /killed for memory at its limit of 512Mi: its heap alone may take 512Mi \(-Xmx512m\) and leaves nothing for threads/,
    [/JAVA_TOOL_OPTIONS\): -Xmx512m/],
  ],
  [
    'killed for memory: a share that leaves little',
    killedWith({ ...limited('512Mi'), command: ['java', '-XX:MaxRAMPercentage=90.0', '-jar', 'a.jar'] }),
    'out-of-memory',
    /its heap alone may take 461Mi \(-XX:MaxRAMPercentage=90\.0\) and leaves 51Mi/,
  ],
  [
    'killed for memory: node',
    killedWith({ ...limited('256Mi'), args: ['--max-old-space-size=4096', 'server.js'] }),
    'out-of-memory',
    /its heap alone may take 4Gi \(--max-old-space-size=4096\) and leaves nothing/,
  ],
  [
    'killed for memory: a heap that fits is not the cause',
    killedWith({ ...limited('1Gi'), env: [{ name: 'JAVA_OPTS', value: '-Xmx256m' }] }),
    'out-of-memory',
    /killed for memory at its limit of 1Gi$/,
  ],
];

const killedWithFile = (memory: string, text: string): Partial<PodEvidence> => ({
  pod: pod({
    container: { ...limited(memory), volumeMounts: [{ name: 'c', mountPath: '/etc/kv' }] },
    spec: { volumes: [{ name: 'c', configMap: { name: 'kv-conf' } }] },
    status: crashed({ exitCode: 137, reason: 'OOMKilled' }),
  }),
  configs: [{ kind: 'ConfigMap', name: 'kv-conf', state: 'found', keys: ['kv.conf'], texts: { 'kv.conf': text } }],
});

const ofSettings: readonly Case[] = [
  [
    'a cache in a file that may grow beyond the limit',
    killedWithFile('64Mi', '# maxmemory 32mb\nmaxmemory 512mb\nmaxmemory-policy allkeys-lru\n'),
    'out-of-memory',
    /at its limit of 64Mi: maxmemory 512mb \(line 2 of \/etc\/kv\/kv\.conf, of ConfigMap kv-conf\) lets it take more than that$/,
    [/configmap\/kv-conf.*line 2.*maxmemory 512mb/],
  ],
  [
    'a buffer pool',
    killedWithFile('512Mi', '[mysqld]\ninnodb_buffer_pool_size = 1G\n'),
    'out-of-memory',
    /: innodb_buffer_pool_size = 1G \(line 2 of .*\) lets it take more than that$/,
  ],
  [
    'pages, where there is no unit',
    killedWithFile('256Mi', 'shared_buffers = 32768  # pages\n'),
    'out-of-memory',
    /: shared_buffers = 32768 \(.*\) lets it take all of that$/,
  ],
  [
    'a quoted size',
    killedWithFile('128Mi', "shared_buffers = '120MB'\n"),
    'out-of-memory',
    /: shared_buffers = 120MB \(.*\) lets it take all but 8Mi of that$/,
  ],
  [
    'an option of a command',
    killedWith({ ...limited('64Mi'), command: ['memcached', '-m', '1024', '-u', 'nobody'] }),
    'out-of-memory',
    /: -m 1024 \(its command\) lets it take more than that$/,
  ],
  [
    'a variable',
    killedWith({ ...limited('256Mi'), env: [{ name: 'PHP_MEMORY_LIMIT', value: '1G' }] }),
    'out-of-memory',
    /: PHP_MEMORY_LIMIT=1G \(its variable PHP_MEMORY_LIMIT\) lets it take more than that$/,
  ],
  [
    'storage of a proxy',
    killedWith({ ...limited('256Mi'), args: ['varnishd', '-s', 'malloc,1G', '-f', '/etc/a.vcl'] }),
    'out-of-memory',
    /: -s malloc,1G \(its command\)/,
  ],
  [
    'options of a JVM in a file',
    killedWithFile('512Mi', '-Xms256m\n-Xmx512m\n'),
    'out-of-memory',
    /: -Xmx512m \(line 2 of \/etc\/kv\/kv\.conf, of ConfigMap kv-conf\) lets it take all of that$/,
  ],
  ['no setting that fits', killedWithFile('1Gi', 'maxmemory 512mb\n'), 'out-of-memory', /at its limit of 1Gi$/],
  [
    'no setting of another kind',
    killedWithFile('64Mi', 'maxmemory-samples 1000000000\nmax_connections 900000000\n'),
    'out-of-memory',
    /at its limit of 64Mi$/,
  ],
];

describe('what settings allow', () => {
  tellsEach(ofSettings);
});

describe('limits', () => {
  tellsEach(limits);

  it('a read that would wait is no want of processes', () => {
    const lines = [
      'Traceback (most recent call last):',
      '  File "/app/m.py", line 3, in read',
      'BlockingIOError: [Errno 11] Resource temporarily unavailable',
    ];
    expect(diagnosePod(evidence(crash(1, ...lines))).findings[0]?.id).toBe('exit-code');
  });

  it('a large heap of a container that is well is no finding', () => {
    const container = { ...limited('512Mi'), env: [{ name: 'JAVA_OPTS', value: '-Xmx512m' }] };
    expect(diagnosePod(evidence({ pod: pod({ container }) })).findings).toEqual([]);
  });
});

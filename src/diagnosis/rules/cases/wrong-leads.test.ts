/** Words that look like those of another cause: a name for a variable, an address for a port, a source file for a configuration. */
import { describe } from 'vitest';
import { configMap, crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import { type Case, endedWith, withFiles, tellsEach } from './cases.fixtures.ts';

const cases: readonly Case[] = [
  [
    'a variable with a secret name, with the whole line behind it',
    endedWith({}, ['config.rb:3:in `fetch\': key not found: "SESSION_SECRET" (KeyError)']),
    'missing-setting',
    /^container web lacks the environment variable SESSION_SECRET, as it says: config\.rb:3:in/,
  ],
  [
    'an address that has no name is no port that is taken',
    endedWith({}, ["Fatal error: can't bind to no-such-host:8118: The hostname is not resolvable"]),
    'exit-code',
    /can't bind to no-such-host:8118/,
  ],
  [
    'a setting in small letters is no variable',
    endedWith({}, ["traffic_server: please set 'proxy.config.local_state_dir'"]),
    'exit-code',
    /please set 'proxy\.config\.local_state_dir'$/,
  ],
  [
    'a port that a user may not have, without the volume of the file that names it',
    endedWith({ ...withFiles, spec: { ...withFiles.spec, securityContext: { runAsUser: 1000 } } }, [
      'Binding [/etc/app/haproxy.cfg:7] for frontend fe: cannot bind socket (Permission denied) for [0.0.0.0:80]',
    ]),
    'permission-denied',
    /^container web may not listen on port 80 as user 1000: permission denied: Binding/,
  ],
  [
    'a variable that a shell must have, with its exit code',
    {
      pod: pod({ status: crashed({ exitCode: 127 }) }),
      logs: lastWords('bash: line 1: MAIL_URL: required'),
    },
    'missing-setting',
    /^container web lacks the environment variable MAIL_URL/,
  ],
  [
    'a command in small letters that fails otherwise, with the same exit code',
    {
      pod: pod({ status: crashed({ exitCode: 127 }) }),
      logs: lastWords('bash: line 1: mailer: Input/output error'),
    },
    'missing-binary',
    /^container web ends with exit code 127/,
  ],
  [
    'a command that is not there, with the same exit code',
    {
      pod: pod({ status: crashed({ exitCode: 127 }) }),
      logs: lastWords('bash: line 1: MAILER: command not found'),
    },
    'missing-binary',
    /MAILER/,
  ],
  [
    'a script of a ConfigMap without its first line',
    {
      pod: pod({
        container: { command: ['/etc/app/start.sh'], volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message:
            'failed to create containerd task: OCI runtime create failed: runc create failed: unable to start container process: exec /etc/app/start.sh: exec format error',
          lived: 0,
        }),
      }),
      configs: [configMap('app', { 'start.sh': 'echo hello\n' })],
    },
    'missing-binary',
    /^container web cannot run .*: it is a script without "#!" and its interpreter in the first line \(ConfigMap app, key start\.sh\)$/,
  ],
  [
    'what a program is built of is none of its configuration',
    endedWith(
      withFiles,
      ["Error: Cannot find module 'dotenv'"],
      [configMap('app', { 'package.json': '{"dependencies":{"dotenv":"1"}}' })],
    ),
    'missing-module',
    /^container web lacks a module or library that it needs: Error: Cannot find module 'dotenv'$/,
  ],
];

describe('follows no wrong lead', () => {
  tellsEach(cases);
});

/** Causes that are joined with what stands in the pod's ConfigMaps. */
import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const map = (texts: Readonly<Record<string, string>>, name = 'app'): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys: Object.keys(texts),
  texts,
});

const ofVariables = (texts: Readonly<Record<string, string>>, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container: { envFrom: [{ configMapRef: { name: 'app' } }] }, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
  configs: [map(texts)],
});

const ofFiles = (texts: Readonly<Record<string, string>>, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
    spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  configs: [map(texts)],
});

const variables: readonly Case[] = [
  [
    'the value that an error quotes',
    ofVariables({ CACHE_TTL: '5m', MODE: 'fast' }, "ValueError: invalid literal for int() with base 10: '5m'"),
    'exit-code',
    /; that is the value of its variable CACHE_TTL of ConfigMap app, key CACHE_TTL \(exit code 1\)$/,
  ],
  [
    'the peer that the log does not name',
    ofVariables({ DB_HOST: 'orders-db', DB_PORT: '5433' }, 'database: connection refused'),
    'dependency-refused',
    /a peer, which by its variable DB_HOST of ConfigMap app, key DB_HOST is orders-db:5433,/,
  ],
];

const files: readonly Case[] = [
  [
    'the setting that an error names, and its line',
    ofFiles(
      { 'app.conf': 'workers = 4\nmax_conections = 9\n', 'other.conf': 'name = web\n' },
      "FATAL: unrecognized setting 'max_conections'",
    ),
    'exit-code',
    /max_conections.*; its configuration \/etc\/app\/app\.conf is of ConfigMap app \(line 2\)/,
  ],
  [
    'the value that an error quotes',
    ofFiles({ 'a.yaml': 'level: verbose-ish\n', 'b.yaml': 'mode: fast\n' }, 'ERROR: unknown log level "verbose-ish"'),
    'exit-code',
    /; its configuration \/etc\/app\/a\.yaml is of ConfigMap app \(line 1\)/,
  ],
  [
    'no file when two have the word',
    ofFiles({ 'a.yaml': 'x: verbose-ish\n', 'b.yaml': 'y: verbose-ish\n' }, 'ERROR: no such word "verbose-ish"'),
    'exit-code',
    /no such word "verbose-ish"(?!.*configuration)/,
  ],
  [
    'the peer that the log does not name',
    ofFiles({ 'app.yaml': 'db:\n  host: orders-db\n  port: 5433\n' }, 'database: connection refused'),
    'dependency-refused',
    /a peer, which by its ConfigMap app, key app\.yaml is orders-db:5433,/,
  ],
];

describe('variables of ConfigMaps', () => {
  tellsEach(variables);
});
describe('files of ConfigMaps', () => {
  tellsEach(files);
});

/** Tests that a peer and its database are named where the line that decides names neither. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { Container } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const MISSING = 'psycopg2.errors.UndefinedTable: relation "customers" does not exist';
const ended = (
  container: Partial<Container>,
  line = MISSING,
  more: Partial<PodEvidence> = {},
  spec: object = {},
): string =>
  diagnosePod(
    evidence({ pod: pod({ container, spec, status: crashed({ exitCode: 1 }) }), logs: lastWords(line), ...more }),
  ).findings[0]?.says ?? '';
const env = (vars: Readonly<Record<string, string>>): Partial<Container> => ({
  env: Object.entries(vars).map(([name, value]) => ({ name, value })),
});

describe('what a program does not find in its peer', () => {
  it.each<[string, string, RegExp]>([
    [
      'a variable with a URL',
      ended(env({ DATABASE_URL: 'postgres://app:pw@pg:5432/crm?sslmode=disable' })),
      /in its peer pg:5432 \(.*database crm\): /,
    ],
    ['variables', ended(env({ DB_HOST: 'pg', DB_NAME: 'crm', DB_USER: 'app' })), /in its peer pg \(.*database crm\): /],
    [
      'MySQL',
      ended(
        env({ MYSQL_HOST: 'sql', MYSQL_PORT: '3306', MYSQL_DATABASE: 'crm' }),
        "ERROR 1146 (42S02): Table 'crm.people' doesn't exist",
      ),
      /in its peer sql:3306 \(by its variable MYSQL_HOST\): .*Table 'crm\.people'/,
    ],
    [
      'code of a ConfigMap',
      ended(
        { volumeMounts: [{ name: 'm', mountPath: '/m' }] },
        MISSING,
        {
          configs: [
            {
              kind: 'ConfigMap',
              name: 'code',
              state: 'found',
              keys: ['m.py'],
              texts: { 'm.py': 'c = psycopg2.connect(host="pg", dbname="crm", user="app")' },
            },
          ],
        },
        { volumes: [{ name: 'm', configMap: { name: 'code' } }] },
      ),
      /in its peer pg \(.*database crm\): /,
    ],
    ['no name at all', ended({}), /in its peer: psycopg2/],
    [
      'two databases',
      ended(env({ DATABASE_URL: 'postgres://pg/crm', REPORTS_DATABASE: 'reports' })),
      /in its peer pg \(by its variable DATABASE_URL\): /,
    ],
    [
      'a password with signs of a URL',
      ended(env({ DATABASE_URL: 'postgres://app:open/sesame@pg:5432/crm' })),
      /^(?!.*sesame)/,
    ],
    [
      'a line that names the peer itself',
      ended(
        env({ DATABASE_URL: 'postgres://pg/crm' }),
        'connection to server at "pg", port 5432 failed: FATAL: database "crm" does not exist',
      ),
      /in its peer: connection to server at "pg"/,
    ],
  ])('%s', (_, says, expected) => {
    expect(says).toMatch(expected);
  });
});

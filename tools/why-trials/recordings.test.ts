/** Tests that the recordings of real programs stay as well diagnosed as they are; what is not right is named here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grade } from './grade.ts';
import { knownTexts } from './known-texts.ts';
import { HELD_OUT, TRIALS } from './programs/all.ts';
import type { Recording } from './trial.ts';

const folder = join(resolve(import.meta.dirname, '..', '..'), 'test', 'why-recordings');

/** Not right, and why; this list only gets shorter. Of programs that are held out it holds after their first score. */
const NOT_RIGHT: Readonly<Record<string, string>> = {
  'bind/bad-directory': 'it says that the folder is not writable when there is none',
  'bind/well-no-upstream': 'it tells of each query that it could not send',
  'openvpn/no-key': 'three files are missing, and the last is named',
  'php/syntax-error': 'it says "Unclosed", and not that the syntax is wrong',
  'rabbitmq/certificate-missing': 'the file stands in none of its lines about the error',
  'rabbitmq/port-taken': 'its terms are cut before the reason',
  'carbon/port-taken': 'the port stands in none of its lines',
  'chrony/unknown-directive': 'the directive stands in none of its lines',
  'gawk/syntax': 'its words are "unexpected newline"',
  'hapi/bad-option': 'the option stands in an object below the error',
  'hypercorn/port-taken': 'the port stands in none of its lines',
  'kea/no-config': 'the file stands in none of its lines',
  'nghttpx/port-taken': 'the port stands in none of its lines',
  'sbcl/undefined': 'the message stands two lines below the error',
  'unbound/no-config': 'it goes on without its configuration, and ends for another reason',
  'unbound/port-taken': 'the port stands in none of its lines',
  'ansible/syntax': 'the file stands four lines below the error',
  'jetty/bad-xml': 'the root of its chain names the setting, and not the file',
  'kamailio/no-module': 'a worse level below names only the configuration',
  'next/bad-config': 'the headline names the variable, and the truth asks for the words',
  'sidekiq/no-file': 'it says politely what it wants, at level INFO',
  'dhcpd/no-interface': 'the interface stands some lines above the error',
  'snmpd/port-taken': 'its log does not say why the endpoint cannot be opened',
  'java/stack-overflow': 'its error stands more than a thousand frames above the end',
  'nginx/well-reload-of-a-bad-file': 'its log does not say that it runs on',
  'pen/port-taken': 'its log does not say why it cannot bind its address',
  'dante/port-taken': 'the port stands in the line above, after a dot',
  'capistrano/no-capfile': 'its configuration is code, and is told as a module that is missing',
  'fish/unclosed': 'it ends with 127, as for a command that is missing',
  'go-chi/well-failing-page': 'its trace of a request that panicked is written like that of a program',
  'go-echo/well-panics': 'it tells of a page that panicked as a program tells of its end',
  'go-klog/lease-lost': 'the lease stands in a line without a level of error',
  'imagemagick/corrupt': 'the consequence names a file, too',
  'iperf3/well-garbage': 'it tells of a client as of itself',
  'jekyll/unclosed-tag': 'the page stands above the trace',
  'knot-resolver/no-module': 'a worse level below names only the configuration',
  'migrate-mongo/no-config': 'its configuration is code, and is told as a module that is missing',
  'ntpsec/well-no-time-source': 'it goes on without its statistics, and does not say so',
  'phpcs/finds-faults': 'the file stands in the heading of its report',
  'postgrey/well-garbage': 'it tells of a client as of itself',
  'redir/well-backend-away': 'it tells of each connection that it could not pass on',
  'ruby-mongo/refused': 'the refusals stand at level DEBUG',
  's3cmd/no-config': 'it calls a file that is missing a network that is unreachable',
  'shellcheck/finds-faults': 'the file stands in the heading of its report',
  'vip-manager/no-interface': 'the interface stands some lines above the error',
  'zabbix-server/well-database-away': 'it tries again, and the log ends before it succeeds',
  'starman/well-failing-page': 'it tells of a page that failed as a program tells of its end',
};

function recordingsOf(program: string): readonly Recording[] {
  return readFileSync(join(folder, `${program}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recording);
}

const programs = readdirSync(folder).flatMap((name) =>
  name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : [],
);

describe('what is recorded stays as right as it is', () => {
  it.each(programs)('%s', (program) => {
    const wrong = recordingsOf(program).flatMap((recording) => {
      const key = `${program}/${recording.name}`;
      const { grade: found, says } = grade(recording);
      return (found === 'first') === Object.hasOwn(NOT_RIGHT, key) ? [`${key}: ${found}: ${says.join(' | ')}`] : [];
    });
    expect(wrong).toEqual([]);
  });
});

/** Of the texts that were written down. */
const TEXTS_NOT_RIGHT: Readonly<Record<string, string>> = {
  'minio/credentials': 'its user is called missing, and its password is told in the hint alone',
  'vault/unseal-kms': 'it calls a want of credentials an error of parsing',
  'knex/migration': 'the file stands in a line above the error',
  'flyway/cli-bad-sql': 'the script stands in the line below the error',
};

it('what is known of the texts of other programs stays as right as it is', () => {
  const wrong = knownTexts().flatMap((text) => {
    const { grade: found, says } = grade(text);
    const key = `${text.program}/${text.name}`;
    return (found === 'first') === Object.hasOwn(TEXTS_NOT_RIGHT, key) ? [`${key}: ${found}: ${says.join(' | ')}`] : [];
  });
  expect(wrong).toEqual([]);
});

it('every recording is of a trial, with the truth that it declares', () => {
  const trials = new Map(TRIALS.map((trial) => [`${trial.program}/${trial.name}`, trial.truth]));
  for (const recording of programs.flatMap(recordingsOf)) {
    expect(trials.get(`${recording.program}/${recording.name}`), `${recording.program}/${recording.name}`).toEqual(
      recording.truth,
    );
  }
});

it('names of trials are unique, and a third of the programs is held out', () => {
  const names = TRIALS.map(({ program, name }) => `${program}/${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(HELD_OUT.size * 3).toBeGreaterThanOrEqual(programs.length);
});

it('there are enough of them to say anything: faults, programs, and healthy logs', () => {
  const all = programs.flatMap(recordingsOf);
  const faults = all.filter(({ truth }) => !('healthy' in truth));
  expect(new Set(faults.map(({ program, name }) => `${program}/${name}`)).size).toBeGreaterThanOrEqual(150);
  expect(new Set(faults.map(({ program }) => program)).size).toBeGreaterThanOrEqual(15);
  expect(all.length - faults.length).toBeGreaterThanOrEqual(150);
});

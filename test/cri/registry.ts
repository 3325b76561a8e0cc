/** Debian's docker-registry on loopback, with a user. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

export interface TestRegistry {
  /** Host and port, the prefix of image names. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
  end(): void;
}

/** bcrypt of "secret", so that no htpasswd program is needed. */
const HTPASSWD = 'user:$2b$05$QG83ls87rDyuOKBwSdQzrO0D9d8shQe9bLypJUxxUPxqdS9uyza.C\n';

export async function testRegistry(folder: string): Promise<TestRegistry> {
  const home = join(folder, 'registry');
  mkdirSync(home, { recursive: true });
  const host = `127.0.0.1:${await freePort()}`;
  writeFileSync(join(home, 'htpasswd'), HTPASSWD);
  const config = [
    'version: 0.1',
    'log: { level: error, accesslog: { disabled: true } }',
    `storage: { filesystem: { rootdirectory: ${home}/data } }`,
    `http: { addr: "${host}" }`,
    `auth: { htpasswd: { realm: test, path: ${home}/htpasswd } }`,
  ];
  writeFileSync(join(home, 'config.yml'), `${config.join('\n')}\n`);
  const child = spawn('docker-registry', ['serve', join(home, 'config.yml')], { stdio: 'ignore' });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`http://${host}/v2/`).catch(() => undefined);
    if (answer !== undefined) break;
    if (tries > 200) throw new Error('docker-registry does not start');
    await sleep(50);
  }
  return { host, username: 'user', password: 'secret', end: () => child.kill('SIGKILL') };
}

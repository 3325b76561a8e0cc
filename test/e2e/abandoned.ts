/**
 * Removes the remains of killed test runs: mendlets with their containers, networks and logs, which would disturb the next run
 * by taken networks and log folders of the same names. Each data folder names its owner, so that the next run can remove it.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearAsByReboot, killNode } from '../support/lab-death.ts';
import { kill } from '../support/lab-network.ts';
import { isAlive, mendletsOf, ownerOf, TEST_FOLDER_PREFIX } from '../support/mendlet-processes.ts';
import { root, run } from './harness.ts';

/** Removes the remains of dead processes. A failure is only printed, because a suite that it disturbs fails by itself. */
export async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(TEST_FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name);
    const owner = ownerOf(folder);
    if (owner === undefined || isAlive(owner)) continue;
    console.log(`set-up: removing ${folder}, which a killed test run left`);
    for (const pid of mendletsOf(folder)) kill(pid);
    const dataDir = join(folder, 'data');
    if (existsSync(dataDir)) {
      // The pods are killed at once, without their grace periods.
      await killNode(dataDir, undefined);
      clearAsByReboot(dataDir);
      const down = await run(process.execPath, [
        join(root, 'dist/mendlet.js'),
        'down',
        '--data-dir',
        dataDir,
        '--purge',
        '--with-claims',
      ]);
      if (down.code !== 0) {
        console.warn(`mendlet down: ${down.stdout}${down.stderr}`);
        continue;
      }
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * `npm run bench:services`: what clients of Services feel. Each part says how it measures.
 *
 *   npm run bench:services -- [--only clients,guards,rules,dns] [--runs 5] [--json FILE] [--check]
 *
 * `--check` is the short form of `npm test`: the clients alone, three times, and exit 1 at more than twice the goals.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import setUp from '../e2e/global-set-up.ts';
import { Mendlet } from '../e2e/harness.ts';
import { beyondTwiceTheGoals, clientFigures, clientLines } from './services/clients.ts';
import { nameFigures, nameLine } from './services/names.ts';
import { guardFigures, guardLines } from './services/guards.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'clients,guards,rules,dns' },
    runs: { type: 'string', default: '5' },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});
const parts = new Set(values.check ? ['clients'] : values.only.split(','));
const figures: Record<string, unknown> = {};

if (parts.has('clients')) {
  await setUp();
  const mendlet = new Mendlet({ podNetwork: 212, flags: ['--service-cidr', '10.94.0.0/16'] });
  try {
    await mendlet.up();
    console.log(
      'clients: raw sockets from this machine to a ClusterIP of three pods, 200 new connections a second, fixed seed',
    );
    const found = await clientFigures(mendlet, values.check ? 2 : Number(values.runs));
    figures['clients'] = found;
    for (const line of clientLines(found)) console.log(`  ${line}`);
    if (!values.check) {
      console.log('names: asked every 2 ms from this machine while Services and slices are created one by one');
      const named = await nameFigures(mendlet, '10.212.0.1');
      figures['names'] = named;
      console.log(`  ${nameLine(named)}`);
    }
    const beyond = values.check ? beyondTwiceTheGoals(found) : [];
    for (const line of beyond) console.error(`  beyond twice its goal: ${line}`);
    if (beyond.length > 0) process.exitCode = 1;
  } finally {
    await mendlet.down();
  }
}
if (parts.has('guards')) {
  await setUp();
  console.log('guards: the same without and with routing and DNS, one mendlet after the other');
  const found = await guardFigures();
  figures['guards'] = found;
  for (const line of guardLines(found)) console.log(`  ${line}`);
}
// They are processes of their own: their loops are measured.
for (const part of ['rules', 'dns']) {
  if (!parts.has(part)) continue;
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'services', `${part}.ts`)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);

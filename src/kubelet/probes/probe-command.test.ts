/** Tests which variables are filled in in the command of a probe. */
import { expect, it } from 'vitest';
import { probeCommand } from './probe-command.ts';

const env = [
  { name: 'PORT', value: '5433' },
  { name: 'EMPTY' },
  { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
];

it.each<[string, readonly string[], readonly string[]]>([
  ['a plain value', ['pg_isready', '-p', '$(PORT)'], ['pg_isready', '-p', '5433']],
  ['within a word', ['psql', 'port=$(PORT) user=app'], ['psql', 'port=5433 user=app']],
  ['a variable without a value', ['a', '[$(EMPTY)]'], ['a', '[]']],
  ['a variable of a Secret counts as empty', ['a', 'password=$(PASSWORD)'], ['a', 'password=']],
  ['a name that is not set stays', ['a', '$(OTHER)'], ['a', '$(OTHER)']],
  ['two signs are one', ['sh', '-c', 'echo $$(PORT) $PORT ${PORT}'], ['sh', '-c', 'echo $(PORT) $PORT ${PORT}']],
])('%s', (_what, command, filled) => {
  expect(probeCommand(command, env)).toEqual(filled);
});

it('without variables nothing changes', () => {
  expect(probeCommand(['test', '-f', '/tmp/ok'])).toEqual(['test', '-f', '/tmp/ok']);
});

it('a word that variables make too long is refused', () => {
  const long = { name: 'LONG', value: 'x'.repeat(100_000) };
  expect(() => probeCommand(['$(LONG)$(LONG)$(LONG)'], [long])).toThrow(/longer than/);
});

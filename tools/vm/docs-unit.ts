/** Reads systemd's unit from the page for operators, so that the tests try what users are told. Pure. */

const BLOCK = /^```ini\n(\[Unit\]\n[\s\S]*?)^```$/gm;

/**
 * The one unit in `markdown`.
 *
 * @throws when there is none, or more than one
 */
export function unitOfDocs(markdown: string): string {
  const units = [...markdown.matchAll(BLOCK)].map(([, text = '']) => text);
  const [unit] = units;
  if (unit === undefined || units.length > 1)
    throw new Error(`the page has ${units.length} units for systemd, not one`);
  return unit;
}

/** A drop-in that starts the same program with `flags` more. @throws when the unit starts nothing, or several programs */
export function dropInWithFlags(unit: string, flags: readonly string[]): string {
  const commands = [...unit.matchAll(/^ExecStart=(.+)$/gm)].map(([, command = '']) => command);
  const [command] = commands;
  if (command === undefined || commands.length > 1)
    throw new Error(`the unit has ${commands.length} ExecStart=, not one`);
  return `[Service]\nExecStart=\nExecStart=${[command, ...flags].join(' ')}\n`;
}

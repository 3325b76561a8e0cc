/** The file of `--kubelet-config`, read before anything is begun. */
import { readFileSync } from 'node:fs';
import { exitCodes } from '../cli/index.ts';
import { DEFAULT_SETTINGS, type KubeletSettings, parseConfiguration } from '../kubelet/index.ts';
import { errorMessage } from '../lib/index.ts';
import { UserError } from './user-error.ts';

const MAX_BYTES = 1 << 20;

/**
 * `say` gets warnings about fields that mendlet ignores.
 * @throws UserError (exit code 2) that names every problem
 */
export function readSettings(path: string | undefined, say: (text: string) => void): KubeletSettings {
  if (path === undefined) return DEFAULT_SETTINGS;
  const usage = { exitCode: exitCodes.usage };
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UserError(`--kubelet-config: ${errorMessage(error)}`, { ...usage, cause: error });
  }
  if (bytes.length > MAX_BYTES) throw new UserError(`--kubelet-config ${path}: larger than ${MAX_BYTES} bytes`, usage);
  const { settings, problems, warnings } = parseConfiguration(path, new TextDecoder().decode(bytes));
  if (problems.length > 0) throw new UserError(`--kubelet-config:\n  ${problems.join('\n  ')}`, usage);
  for (const warning of warnings) say(warning);
  return settings;
}

/** The settings in the form of the file, as /configz shows them. Pure. */
import type { KubeletSettings } from '../settings.ts';
import { FIELDS } from './fields.ts';

export function showConfiguration(settings: KubeletSettings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(FIELDS).flatMap(([name, field]) => {
      const value = field.show(settings);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

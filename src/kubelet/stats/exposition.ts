/** Writes metrics of existing things as Prometheus text: things that are gone have no line. */
import { formatNumber, labelText } from '../../lib/index.ts';

type Labels = Readonly<Record<string, string>>;

export interface Family {
  /** One line; `undefined` (not known) writes none. `at`: wall ms, when it was measured. */
  add(value: number | undefined, labels?: Labels, at?: number): void;
}

export class Exposition {
  readonly #families: { readonly head: string; readonly lines: string[] }[] = [];

  /** Lines of a family stand together, in the order in which families are begun. `labels`: their names, as written. */
  family(type: 'counter' | 'gauge', name: string, help: string, labels: readonly string[] = []): Family {
    const head = `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
    const lines: string[] = [];
    this.#families.push({ head, lines });
    return {
      add: (value, given = {}, at) => {
        if (value === undefined) return;
        const time = at === undefined ? '' : ` ${Math.round(at)}`;
        lines.push(`${name}${labelText(labels, given)} ${formatNumber(value)}${time}\n`);
      },
    };
  }

  text(): string {
    const filled = this.#families.filter(({ lines }) => lines.length > 0);
    return filled.map(({ head, lines }) => head + lines.join('')).join('');
  }
}

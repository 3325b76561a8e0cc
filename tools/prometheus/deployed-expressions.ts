/** The expressions in the files of `deploy/`: rules of Prometheus and panels of Grafana. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseDocument } from '../../src/lib/index.ts';

const deploy = join(resolve(import.meta.dirname, '..', '..'), 'deploy');

export interface DeployedExpression {
  /** "alert MendletPodGaveUp", "panel Gave up". */
  readonly where: string;
  readonly expression: string;
  /** Texts with `$labels.NAME`. */
  readonly texts: readonly string[];
}

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly description: string };
    }[];
  }[];
}

export function readRules(): Rules {
  return parseDocument({ text: readFileSync(join(deploy, 'prometheus', 'rules.yaml'), 'utf8'), line: 1 }) as Rules;
}

export interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(join(deploy, 'grafana', 'mendlet.json'), 'utf8')) as Dashboard;
}

export function deployedExpressions(): readonly DeployedExpression[] {
  const alerts = readRules().groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, annotations }) => ({
      where: `alert ${alert}`,
      expression: expr,
      texts: [annotations.summary, annotations.description],
    })),
  );
  const panels = readDashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ where: `panel ${title}`, expression: expr, texts: [legendFormat] })),
  );
  return [...alerts, ...panels];
}

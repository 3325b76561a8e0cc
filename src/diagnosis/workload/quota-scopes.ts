/** For which pods a quota with scopes holds, in words. Pure. */
import type { ResourceQuota } from '../../api/index.ts';
import { listed } from '../facts/words/text.ts';

const SCOPES: Readonly<Record<string, string>> = {
  BestEffort: 'without requests and limits',
  NotBestEffort: 'with requests or limits',
  Terminating: 'with activeDeadlineSeconds',
  NotTerminating: 'without activeDeadlineSeconds',
  CrossNamespacePodAffinity: 'with affinity to pods of other namespaces',
};
const OPERATORS: Readonly<Record<string, string>> = { In: 'of', NotIn: 'of none of' };

/** ", which holds for pods without requests and limits alone (scope BestEffort),"; empty: it has no scopes, or is not known. */
export function scopesText(quota: ResourceQuota | undefined): string {
  const { scopes = [], scopeSelector } = quota?.spec ?? {};
  const plain = scopes.map((name) => ({ text: SCOPES[name] ?? name, name }));
  const selected = (scopeSelector?.matchExpressions ?? []).map(({ scopeName, operator, values = [] }) => {
    if (scopeName !== 'PriorityClass') return { text: SCOPES[scopeName] ?? scopeName, name: scopeName };
    const which = OPERATORS[operator];
    const text =
      which === undefined
        ? `${operator === 'Exists' ? 'with a' : 'without a'} PriorityClass`
        : `${which} PriorityClass ${values.join(' or ')}`;
    return { text, name: scopeName };
  });
  const all = [...plain, ...selected];
  if (all.length === 0) return '';
  return `, which holds for pods ${listed(all.map(({ text }) => text))} alone (${all.length === 1 ? 'scope' : 'scopes'} ${listed([...new Set(all.map(({ name }) => name))])}),`;
}

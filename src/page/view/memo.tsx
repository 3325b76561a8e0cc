/** A component that is drawn anew only when one of its properties is another value. */
import { Component, type ComponentChild, type ComponentClass, type FunctionComponent } from 'preact';

export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentClass<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !haveSameFields(this.props, next);
    }

    override render(props: P): ComponentChild {
      return <Inner {...props} />;
    }
  };
}

function haveSameFields(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  // Asked for each row with each change: no lists are made.
  for (const name in one) if (!Object.is(one[name], other[name])) return false;
  for (const name in other) if (!(name in one)) return false;
  return true;
}

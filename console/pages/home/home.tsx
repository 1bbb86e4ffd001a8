import { Page } from '../../kit/page.tsx';
import { useMe } from '../../app/me.tsx';

export function Component() {
  const { member } = useMe();
  return <Page title={`Good day, ${member.name}`}>{null}</Page>;
}

import { Anchor, Button, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../app/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

const sightQuery = graphql(`
  query SpendSight {
    mySpendView {
      seesEverybody
      groups {
        id
        name
      }
    }
    showsSpendPseudonyms
  }
`);
type View = NonNullable<ResultOf<typeof sightQuery>['mySpendView']>;

/** What is below shows single people: to those who may see some, with a word on whom, and that looks are recorded. */
export function ForWhoSeesPeople({ children }: { children: ReactNode }) {
  const [asked, again] = useQuery({ query: sightQuery });
  return (
    <Loaded asked={asked} again={again}>
      {({ mySpendView: view, showsSpendPseudonyms }) =>
        view && (view.seesEverybody || view.groups.length > 0) ? (
          <>
            {children}
            <Text size="xs" c="dimmed" mt="md">
              <Whom view={view} /> {showsSpendPseudonyms && 'People go by pseudonyms here. '}
              Each look at single people is recorded in the audit log.
            </Text>
          </>
        ) : (
          <NotShown isAnalyst={view !== null} />
        )
      }
    </Loaded>
  );
}

const Whom = ({ view: { seesEverybody, groups } }: { view: View }) =>
  seesEverybody ? (
    'You see everybody.'
  ) : (
    <>
      You see people of{' '}
      {groups.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <Untrusted text={name} />
        </span>
      ))}
      .
    </>
  );

function NotShown({ isAnalyst }: { isAnalyst: boolean }) {
  const may = useMay();
  return (
    <Empty
      icon={IconEyeOff}
      title="Single people are not shown to you"
      action={
        may('spend:manage') && (
          <Button component={Link} to="/spend/privacy" variant="light">
            Who sees whom
          </Button>
        )
      }
    >
      {isAnalyst
        ? 'No group was named for you yet. Ask an administrator to name groups whose people you are to see.'
        : 'What single people use is shown to analysts, of the groups that an administrator named for them. '}
      {!isAnalyst && (
        <>
          Sums are under{' '}
          <Anchor component={Link} to="/spend/groups" inherit underline="always">
            Groups
          </Anchor>
          ; your own usage is yours to read with any product that you connected.
        </>
      )}
    </Empty>
  );
}

import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { NotFoundPage } from '../../kit/not-found.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { DocumentAccess } from './document-access.tsx';
import { DocumentText } from './document-text.tsx';
import { Readers } from './readers.tsx';
import { kindNames } from './state-names.ts';
import { WebLink } from './web-link.tsx';

const query = graphql(`
  query KnowledgeDocument($id: ID!, $sourceId: ID!) {
    knowledgeDocument(id: $id) {
      id
      connectionId
      externalId
      title
      author
      container
      position
      url
      kind
      mediaType
      groupIds
      updatedAt
      indexedAt
    }
    knowledgeSource(connectionId: $sourceId) {
      connectionId
      state
      connection {
        id
        name
      }
    }
  }
`);

type Document = NonNullable<ResultOf<typeof query>['knowledgeDocument']>;

export function Component() {
  const { id = '', documentId = '' } = useParams();
  const [result, refetch] = useQuery({ query, variables: { id: documentId, sourceId: id } });
  const { knowledgeDocument: document, knowledgeSource: source } = result.data ?? {};
  if (result.data && !document) return <NotFoundPage />;
  return (
    <Page
      title={document?.title ?? 'Document'}
      heading={document && <Untrusted text={document.title} />}
      trail={[
        ['Knowledge', '/knowledge'],
        [source ? visible(source.connection.name) : 'Source', `/knowledge/${id}`],
      ]}
      // the next sync of a source would add the document again
      actions={document && source?.state === 'pushed' && <Delete of={document} />}
    >
      <Loaded result={result} refetch={refetch}>
        {({ knowledgeDocument: document }) =>
          document && (
            <>
              <About of={document} />
              <DocumentAccess documentId={document.id} />
              <DocumentText documentId={document.id} isCode={document.kind === 'code'} groupIds={document.groupIds} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const About = ({ of }: { of: Document }) => (
  <Section title="Details">
    <Facts
      facts={[
        ['Type', kindNames[of.kind]],
        ['Source ID', <Untrusted key="name" text={of.externalId} />],
        ['Container', of.container && <Untrusted text={of.container} />],
        ['Position', of.position && <Untrusted text={of.position} />],
        ['Author', of.author && <Untrusted text={of.author} />],
        [
          'URL',
          of.url && (
            <WebLink url={of.url}>
              <Untrusted text={of.url} />
            </WebLink>
          ),
        ],
        ['Media type', <Untrusted key="type" text={of.mediaType} />],
        ['Last modified', of.updatedAt && <When at={of.updatedAt} />],
        ['Indexed', <When key="indexed" at={of.indexedAt} />],
        ['Readers', <Readers key="readers" connectionId={of.connectionId} groupIds={of.groupIds} />],
      ]}
    />
  </Section>
);

const remove = graphql(`
  mutation DeleteDocument($id: ID!) {
    deleteDocument(input: { id: $id }) {
      id
    }
  }
`);

function Delete({ of: { id, connectionId, title } }: { of: Document }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { send, problem, isSending, forget } = useChange(remove, {
    done: 'Document deleted.',
    onDone: () => void navigate(`/knowledge/${connectionId}`),
  });
  const close = () => {
    setOpen(false);
    forget();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Delete document
      </Button>
      <Confirm
        opened={isOpen}
        onClose={close}
        title="Delete document?"
        verb="Delete document"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ id })}
      >
        <Text size="sm">
          <Untrusted text={title} /> no longer appears in searches. The program that uploaded it can upload it again.
        </Text>
      </Confirm>
    </>
  );
}

import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createRoot } from 'react-dom/client';
import './graphiql.css';

// the browser sends the session cookie
const fetcher = createGraphiQLFetcher({ url: '/graphql' });

const root = document.getElementById('graphiql')!;
createRoot(root).render(<GraphiQL fetcher={fetcher} defaultQuery={'{\n  me {\n    permissions\n  }\n}\n'} />);

// GraphiQL names the sections of the page, but not the text fields of the editors in them
new MutationObserver(() => {
  for (const field of root.querySelectorAll('.CodeMirror textarea:not([aria-label])')) {
    const name = field.closest('[aria-label]')?.getAttribute('aria-label');
    field.setAttribute('aria-label', name ?? 'Editor');
  }
}).observe(root, { childList: true, subtree: true });

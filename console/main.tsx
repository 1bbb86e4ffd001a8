import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { Provider } from 'urql';
import { client } from './api/client.ts';
import { preloadAreas, preloadLinkedPages } from './app/preload.ts';
import { router } from './app/router.tsx';
import { theme, variables } from './app/theme.ts';
import './app/console.css';
import './app/touch.css';

// the content security policy allows only styles with the nonce of this response
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')!.content;
setNonce(nonce);

createRoot(document.getElementById('console')!).render(
  <Provider value={client}>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" limit={4} />
      <RouterProvider router={router} />
    </MantineProvider>
  </Provider>,
);

preloadLinkedPages(router);
void preloadAreas(router).catch(() => undefined); // the router loads what is missing when it is needed

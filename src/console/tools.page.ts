import type { Tool } from '../connections/tool.entity.js';
import { html, type PageContent, renderMarkedText } from '../platform/http/page.js';

interface PendingReviewPageContent {
  tools: Tool[];
  organization: string;
  person: string;
}

export const toolsPendingReviewPage = ({ tools, organization, person }: PendingReviewPageContent): PageContent => ({
  title: 'Tools pending review',
  headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
  body: html`<p>
      A connected system changed the definition of these tools, and with it what language models read. All calls of
      these tools are denied until an administrator reviews the changes.
    </p>
    ${
      tools.length
        ? html`<div class="sheet">
            <ul>
              ${tools.map(
                ({ id, name, title }) =>
                  html`<li>
                    <a href="/tools/${id}"><code>${name}</code></a> ${renderMarkedText(title)}
                  </li>`,
              )}
            </ul>
          </div>`
        : html`<p class="sheet">No tools pending review. Every tool matches its confirmed definition.</p>`
    }
    <p><a class="alone" href="/account">Your account</a></p>`,
});

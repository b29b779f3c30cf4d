import { render } from 'preact';
import '../../src/design/tokens.css';
import '../../src/design/base.css';
import '../../src/design/layout.css';
import '../../src/design/parts.css';
import '../../src/design/agreement.css';
import '../../src/design/evidence.css';
import { VerifyPage } from './verifyPage.tsx';
import './verify.css';

const place = document.querySelector('#verify');
if (place) render(<VerifyPage />, place);

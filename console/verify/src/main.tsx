import { render } from 'preact';
import { VerifyPage } from './verifyPage.tsx';
import './verify.css';

const place = document.querySelector('#verify');
if (place) render(<VerifyPage />, place);

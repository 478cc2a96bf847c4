;;; driver.el --- eglot and copydesk in batch, case by case  -*- lexical-binding: t -*-

;; Reads cases from the JSON file named by COPYDESK_CASES, plays each as a person would, and writes what came of it to
;; COPYDESK_RESULTS.  Says nothing of what is right: the tests do.

(require 'json)
(require 'eglot)
(load (expand-file-name "configuration.el" (file-name-directory load-file-name)) nil t)

;; Actions come without their edits, whatever this machine could do in time: each is asked for when it is chosen.
(setq-default eglot-workspace-configuration '(:copydesk (:lint "on" :precompute :json-false)))

(setq eglot-sync-connect t
      eglot-connect-timeout 120
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      last-nonmenu-event ?\r)

(defvar driver-deadline 90)
(setq jsonrpc-default-request-timeout driver-deadline)
(defvar driver-offered nil "The menu, as it was shown last.")

(defun driver-until (there what)
  "Wait until THERE returns non-nil; its value.  WHAT is waited for."
  (let ((end (+ (float-time) driver-deadline)) value)
    (while (not (setq value (funcall there)))
      (when (> (float-time) end)
        (error "waited %d s for %s; messages: %s" driver-deadline what
               (with-current-buffer (messages-buffer) (buffer-string))))
      (accept-process-output nil 0.05))
    value))

(defun driver-open (file)
  "Visit FILE with a server."
  (find-file file)
  (unless (derived-mode-p 'python-mode) (error "not in python-mode"))
  (unless (eglot-current-server)
    (apply #'eglot (eglot--guess-contact)))
  (unless eglot--managed-mode (eglot--maybe-activate-editing-mode))
  (setq buffer-undo-list nil)
  (driver-until (lambda () (equal (plist-get (driver-status) :state) "ready")) "the model")
  (driver-until (lambda () (flymake-start) (flymake-diagnostics)) "diagnostics"))

(defun driver-status ()
  "What the server says of itself."
  (jsonrpc-request (eglot-current-server) :copydesk/status (make-hash-table)))

(defun driver-choose (title meanwhile)
  "A `completing-read-function' that takes the entry the regexp TITLE is found in, and calls MEANWHILE while the menu is open."
  (lambda (_prompt collection &rest _)
    (setq driver-offered (all-completions "" collection))
    (when meanwhile (funcall meanwhile))
    (or (seq-find (lambda (one) (string-match-p title one)) driver-offered)
        (error "no %s in %S" title driver-offered))))

(defun driver-bytes (file)
  "FILE as it is on disk, a character a byte."
  (with-temp-buffer
    (let ((coding-system-for-read 'latin-1-unix))
      (insert-file-contents file))
    (buffer-string)))

(defun driver-type (change)
  "Type CHANGE, at the start of a line some text, and pause: eglot sends what has changed when Emacs is idle."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- (alist-get 'line change)))
    (insert (alist-get 'text change)))
  (eglot--signal-textDocument/didChange))

(defun driver-play (case)
  "Play CASE and return what came of it."
  (let-alist case
    (driver-open .file)
    (let ((before (buffer-string))
          (completing-read-function
           (driver-choose .title (and .typed (lambda () (driver-type .typed)))))
          begin end problem)
      (goto-char (point-min))
      (forward-line (1- .first))
      (setq begin (point))
      (if .last
          (progn (forward-line (1+ (- .last .first))) (setq end (point)))
        (end-of-line)
        (setq end (point)))
      (goto-char begin)
      (undo-boundary)
      ;; Older ones ask before they apply what a server sends.
      (cl-letf (((symbol-function 'y-or-n-p) #'always))
        (condition-case told
            (eglot-code-actions begin end nil t)
          (jsonrpc-error (setq problem (format "%S" told)))))
      ;; Whatever the server applies has come once it has answered something later.
      (driver-until (lambda () (or .typed (not (equal (buffer-string) before))))
                    (format "the edit; %s" (or problem "no error")))
      (eglot--signal-textDocument/didChange)
      (driver-status)
      (save-buffer)
      (let ((after (buffer-string))
            (saved (driver-bytes .file)))
        (undo-boundary)
        (setq last-command nil)
        (undo 1)
        (prog1 (list :offered (vconcat driver-offered)
                     :encoding (plist-get (driver-status) :positionEncoding)
                     :problem problem
                     :text after
                     :saved saved
                     :undone (buffer-string)
                     :was before)
          (set-buffer-modified-p nil))))))

(defun driver-main ()
  "All cases, each with what came of it."
  (let* ((coding-system-for-read 'utf-8-unix)
         (cases (let ((json-array-type 'list))
                  (json-read-file (getenv "COPYDESK_CASES"))))
         results)
    (setq coding-system-for-read nil)
    (dolist (case cases)
      (push (condition-case problem
                (driver-play case)
              (error (list :error (format "%S" problem))))
            results))
    (let ((coding-system-for-write 'utf-8-unix))
      (with-temp-file (getenv "COPYDESK_RESULTS")
        (insert (json-encode
                 (list :emacs emacs-version
                       :cases (vconcat (nreverse results)))))))
    (dolist (server (apply #'append (hash-table-values eglot--servers-by-project)))
      (eglot-shutdown server nil 30))))

(driver-main)
;;; driver.el ends here
